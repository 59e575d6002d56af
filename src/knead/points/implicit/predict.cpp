// predict: where particles would go without elastic force, and where the solve begins.
#include "knead/points/implicit/stages.h"

namespace knead {

template <class Real>
void predict(const ImplicitSettings& settings, const std::vector<Phase<Real>>& phases,
             const Surroundings& surroundings, double dt, ImplicitWorkspace<Real>& work) {
    work.ballistic.resize(work.size());
    work.delta.resize(work.size());
    for (std::size_t k = 0; k < phases.size(); ++k) {
        const Particles<Real>& p = phases[k].particles;
        for_each(p.size(), 1024, [&](std::size_t i) {
            const std::size_t row = work.first[k] + i;
            const Vec3d a = surroundings.acceleration(work.x[row]);
            const Vec3d free = dt * static_cast<Vec3d>(p.v.vec(i)) + (dt * dt) * a;
            Vec3d guess{0, 0, 0};
            // the explicit twin has the rotations of the present shape
            switch (settings.is_explicit() ? FirstGuess::current : settings.guess) {
                case FirstGuess::current:
                    break;
                case FirstGuess::ballistic:
                    guess = free;
                    break;
                case FirstGuess::last_force:
                    guess = free + (dt * dt / static_cast<double>(p.mass.at(i))) *
                                       static_cast<Vec3d>(p.last_force.vec(i));
            }
            work.ballistic[row] = to_lanes(static_cast<Vec3<Real>>(free));
            work.delta[row] = to_lanes(static_cast<Vec3<Real>>(guess));
        });
    }
}

template void predict(const ImplicitSettings&, const std::vector<Phase<float>>&,
                      const Surroundings&, double, ImplicitWorkspace<float>&);
template void predict(const ImplicitSettings&, const std::vector<Phase<double>>&,
                      const Surroundings&, double, ImplicitWorkspace<double>&);

}  // namespace knead
