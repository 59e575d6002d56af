#include "knead/sim/failure.h"

#include <exception>
#include <new>

#include "knead/base/error.h"

namespace knead {

Failure failure_in_flight() {
    try {
        throw;
    } catch (const RunError& error) {
        return {error.what(), true};
    } catch (const InputError& error) {
        return {error.what(), true};
    } catch (const std::bad_alloc&) {
        return {"out of memory; a coarser scene needs less", false};
    } catch (const std::exception& error) {
        return {error.what(), false};
    } catch (...) {
        return {"something went wrong that has no name", false};
    }
}

}  // namespace knead
