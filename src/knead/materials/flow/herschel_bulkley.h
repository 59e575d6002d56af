// Herschel-Bulkley flow: above the yield radius the stress norm s relaxes as
// ds/dt = -2 mu ((s - s_Y) / eta)^(1/h)  [Yue 2015, Eq. 7, 15], by one backward Euler step.
#pragma once

#include "knead/materials/material.h"
#include "knead/math/mat.h"

namespace knead {

template <class Real>
struct HerschelBulkley {
    Real yield_radius;  // s_Y, sqrt(2/3) of the uniaxial yield stress [Pa]
    Real viscosity;     // eta [Pa s^h]
    Real exponent;      // h

    static constexpr FlowRule rule = FlowRule::herschel_bulkley;
    static HerschelBulkley of(const Material& m) {
        return {static_cast<Real>(knead::yield_radius(m)), static_cast<Real>(m.flow.viscosity),
                static_cast<Real>(m.flow.exponent)};
    }

    template <class T>
    CPU_GPU ALWAYS_INLINE T relaxed(const T& s, const T& mu, Real dt) const {
        if (viscosity == Real(0)) return T(yield_radius);
        // Lanes below yield get a harmless excess.
        const T excess = select(s > T(yield_radius), s - yield_radius, T(1));
        const T two_mu_dt = T(2) * mu * dt;
        if (exponent == Real(1))  // [Yue 2015, Eq. 17]
            return yield_radius + excess * (viscosity / (viscosity + two_mu_dt));
        return yield_radius + excess * share_left(excess, two_mu_dt);
    }

    // The share y of the excess x that is left: y + A y^p = 1 with p = 1/h and
    // A = 2 mu dt/eta (x/eta)^(p-1) [Yue 2015, Eq. 16]. Where little is lost in a step, y is the
    // sum of the first powers of A in Lagrange's series for that root.
    template <class T>
    CPU_GPU ALWAYS_INLINE T share_left(const T& x, const T& two_mu_dt) const {
        const Real p = Real(1) / exponent;
        const Real fluidity = Real(1) / viscosity;
        const T A = fluidity * two_mu_dt * power_of_ordinary(fluidity * x, T(p - Real(1)));
        const Real c2 = p, c3 = p * (Real(3) * p - Real(1)) / Real(2),
                   c4 = p * (Real(4) * p - Real(1)) * (Real(2) * p - Real(1)) / Real(3);
        const T series = T(1) - A * (T(1) - A * (T(c2) - A * (T(c3) - A * c4)));
        // The terms fall off like those of (e p A)^k.
        const T size = max(Real(1), p) * A;
        const auto little = size < T(sizeof(Real) == 4 ? Real(0.03) : Real(3e-4));
        if (all(little)) return series;
        if constexpr (sizeof(Real) == 4) {
            const auto some = size < T(p < Real(1) ? Real(0.1) : Real(0.8));
            T y = series;
            if (any(some && !little)) y = select(little, series, share_in_two_steps(A));
            return all(some) ? y : select(some, y, exp(log_share(x, two_mu_dt)));
        }
        return select(little, series, exp(log_share(x, two_mu_dt)));
    }

    // The same by Newton's step from 1, which is off by p^2 A^3 / 2, and Halley's from there, whose
    // error is in the order of that one's cube. The step is small enough for the binomial series.
    template <class T>
    CPU_GPU T share_in_two_steps(const T& A) const {
        constexpr int terms = 8;
        const Real p = Real(1) / exponent;
        const T d = A / (T(1) + p * A), y = T(1) - d;
        T power(1);  // y^p
        for (int k = terms; k > 0; --k) power = T(1) - (p - Real(k - 1)) / Real(k) * d * power;
        const T w = A * power, slope_y = y + p * w;  // y times the slope
        const T gap = y + w - T(1);
        const T bend = (Real(0.5) * p * (p - Real(1))) * (gap * w);
        return y - y * gap * slope_y / (slope_y * slope_y - bend);
    }

    // z = ln y for any A = e^a. In logarithms the equation is ln(e^z + e^(a + p z)) = 0,
    // increasing and convex: Newton from the right comes down to the root without a bracket. With a
    // slope of at least min(1, p) and a curvature of at most (p - 1)^2 / 4, what a step dz leaves
    // is at most `left` dz^2. A lane stops when that is below its tolerance, so that its result
    // does not depend on its neighbours.
    template <class T>
    CPU_GPU SELDOM T log_share(const T& x, const T& two_mu_dt) const {
        const Real tolerance = sizeof(Real) == 4 ? Real(2e-7) : Real(1e-14);
        const Real p = Real(1) / exponent;
        const Real left = (p - Real(1)) * (p - Real(1)) / (Real(8) * min(Real(1), p));
        const T a = p * log(x / viscosity) + log(two_mu_dt / x);
        T z = min(T(0), -a / p);
        auto going = z <= T(0);
        for (int iteration = 0; iteration < 12; ++iteration) {
            const T gap = a + p * z - z,
                    small = exp(-abs(gap));  // the smaller term over the larger
            const T weight = select(gap > T(0), small + p, T(1) + p * small);
            const T dz = (max(z, z + gap) + log(T(1) + small)) * (T(1) + small) / weight;
            z = select(going, z - dz, z);
            going = going && left * dz * dz > T(tolerance);
            if (!any(going)) break;
        }
        return z;
    }
};

}  // namespace knead
