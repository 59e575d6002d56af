// What a scene may choose about the implicit method [Zhou 2013]. The defaults are the paper's where
// it names any.
#pragma once

namespace knead {

// Rest vectors follow the present shape in every step, as in the paper, or are kept until
// neighbours leave.
enum class RestUpdate { always, lazy };
// Where a step's rotations are taken and its solve begins.
enum class FirstGuess { ballistic, last_force, current };
// One linear solve a step, or the paper's explicit twin: same fit, same force, symplectic Euler.
enum class PointIntegrator { implicit_euler, explicit_euler };
// Obstacles as constraints inside the solve, or as corrections after it.
enum class ObstacleContact { constrain, project };
enum class Preconditioner { mass, block_jacobi, two_level };

struct ImplicitSettings {
    double spacing = 0;    // between particles, the finest body's [m]
    double support = 2.5;  // radius h of neighbourhoods, in spacings of the particle's body
    double dt = 0.002;     // longest step [s]
    PointIntegrator integrator = PointIntegrator::implicit_euler;
    // explicit only: share of the largest stable step to use; from 0.5 on, bodies that have hit
    // something gain energy, by and by (docs/papers/zhou-2013.md)
    double stability = 0.35;

    RestUpdate rest_update = RestUpdate::always;
    FirstGuess guess = FirstGuess::ballistic;
    Preconditioner preconditioner = Preconditioner::block_jacobi;
    double tolerance = 1e-4;  // of the residual, relative to the step's motion
    int max_iterations = 1000;

    ObstacleContact contact = ObstacleContact::constrain;
    bool body_contact = true;  // bodies push each other; else they pass
    double contact_friction = 0.5;

    bool is_explicit() const { return integrator == PointIntegrator::explicit_euler; }
    bool is_lazy() const { return rest_update == RestUpdate::lazy; }
};

}  // namespace knead
