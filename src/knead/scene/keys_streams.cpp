// The keys of what comes and goes while a scene runs: copies, streams and sinks.
#include "knead/scene/keys.h"

namespace knead {

const Keys<EmitSpec>& emit_keys() {
    using T = EmitSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::number("start", &T::start, at_least(0), "s", "when the first copy is due"),
        K::required(
            K::number("interval", &T::interval, above(0), "s", "time from one copy to the next")),
        K::required(K::integer("count", &T::count, {1, 1e6}, "how many copies")),
        K::vector("spread", &T::spread, "m", "largest random shift along each axis"),
        K::flag("turn", &T::turn, "rotate each copy at random"),
    };
    return keys;
}

const Keys<StreamSpec>& stream_keys() {
    using T = StreamSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys{
        K::required(K::vector("direction", &T::direction, "",
                              "out of the opening, as the shape stands in the scene")),
        K::number("speed", &T::speed, above(0), "m/s", "from volume_rate",
                  "of the matter in the opening, beside the opening's own motion"),
        K::number("volume_rate", &T::volume_rate, above(0), "m3/s", "from speed",
                  "volume that enters, instead of speed"),
        K::number("pressure", &T::pressure, above(0), "Pa", "a twentieth of the bulk modulus",
                  "that drives it: while matter ahead of the opening presses more, none enters"),
        K::number("jitter", &T::jitter, {0, 0.5}, "",
                  "random shift of its particles, in spacings; 0: they come in rows"),
        K::number("start", &T::start, at_least(0), "s", "time at which it begins"),
        K::number("stop", &T::stop, above(0), "s", "never", "time at which it ends"),
        K::only_when([](const T& t) { return !t.carried_by.empty(); },
                     K::text("carried_by", &T::carried_by,
                             "a collider: the opening moves and turns with it")),
    };
    return keys;
}

const Keys<SinkSpec>& sink_keys() {
    using T = SinkSpec;
    using K = KeyOf<T>;
    static const Keys<T> keys = [] {
        Key<T> name = K::text("name", &T::name, "unique; for messages and --set");
        name.info.fallback = "sink1, sink2, ...";
        return Keys<T>{
            name,
            shape_key<T>("particles inside it are taken out; not sheets and curves"),
            K::table("motion", &T::motion, &motion_keys, "how it moves; still by default"),
            K::number("start", &T::start, at_least(0), "s", "time at which it begins"),
            K::number("stop", &T::stop, above(0), "s", "never", "time at which it ends"),
            K::number("interval", &T::interval, above(0), "s",
                      "time between two looks; what is fast may cross a thin one in between"),
        };
    }();
    return keys;
}

}  // namespace knead
