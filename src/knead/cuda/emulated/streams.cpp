#include "knead/cuda/emulated/streams.h"

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "knead/cuda/emulated/report.h"

namespace knead::emulated {

struct Graph {
    std::vector<Work> work;
};
struct Stream {
    std::deque<Work> work;
    std::unique_ptr<Graph> recorded;
};
// The stream may be gone before the event is.
struct Event {
    std::shared_ptr<bool> done = std::make_shared<bool>(true);
    Stream* in = nullptr;
};

namespace {

std::vector<Stream*> streams;
Stream null_stream;
cudaError_t last_error = cudaSuccess;

Stream* or_null(cudaStream_t stream) { return stream ? stream : &null_stream; }

void take_one(Stream& s) {
    const Work work = std::move(s.work.front());
    s.work.pop_front();
    work();
}

}  // namespace

std::recursive_mutex& device_lock() {
    static std::recursive_mutex one;
    return one;
}

void enqueue(cudaStream_t stream, Work work) {
    const Lock lock(device_lock());
    Stream* s = or_null(stream);
    if (s->recorded)
        s->recorded->work.push_back(std::move(work));
    else
        s->work.push_back(std::move(work));
}
void after_queued_work(const Work& work) {
    const Lock lock(device_lock());
    std::vector<Stream*> busy;
    for (Stream* s : streams)
        if (!s->work.empty()) busy.push_back(s);
    if (!null_stream.work.empty()) busy.push_back(&null_stream);
    if (busy.empty()) return work();
    const auto left = std::make_shared<std::size_t>(busy.size());
    for (Stream* s : busy)
        s->work.push_back([left, work] {
            if (--*left == 0) work();
        });
}
void finish(cudaStream_t stream) {
    Stream* s = or_null(stream);
    if (s->recorded) fail("a stream is waited for while a graph is recorded from it");
    while (!s->work.empty()) take_one(*s);
}
void finish_all() {
    for (Stream* s : streams)
        if (!s->recorded) finish(s);
    finish(nullptr);
}
cudaError_t set_error(cudaError_t error) { return last_error = error; }

}  // namespace knead::emulated

using namespace knead::emulated;

cudaError_t cudaGetLastError() {
    const Lock lock(device_lock());
    return std::exchange(last_error, cudaSuccess);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
    const Lock lock(device_lock());
    streams.push_back(*stream = new Stream);
    return cudaSuccess;
}
cudaError_t cudaStreamCreate(cudaStream_t* stream) { return cudaStreamCreateWithFlags(stream, 0); }
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
    const Lock lock(device_lock());
    finish(stream);
    std::erase(streams, stream);
    delete stream;
    return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    const Lock lock(device_lock());
    finish(stream);
    return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
    const Lock lock(device_lock());
    finish_all();
    return cudaSuccess;
}

cudaError_t cudaEventCreate(cudaEvent_t* event) {
    *event = new Event;
    return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned) {
    return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
    delete event;
    return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    const Lock lock(device_lock());
    event->done = std::make_shared<bool>(false);
    event->in = or_null(stream);
    enqueue(stream, [done = event->done] { *done = true; });
    return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
    const Lock lock(device_lock());
    while (!*event->done && !event->in->work.empty()) take_one(*event->in);
    return cudaSuccess;
}
// Nothing here takes the time that it takes on a GPU.
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
    *milliseconds = 1;
    return cudaSuccess;
}

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
    const Lock lock(device_lock());
    stream->recorded = std::make_unique<Graph>();
    return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    const Lock lock(device_lock());
    *graph = stream->recorded.release();
    return cudaSuccess;
}
cudaError_t cudaGraphGetNodes(cudaGraph_t graph, void*, std::size_t* count) {
    *count = graph->work.size();
    return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* ready, cudaGraph_t graph, unsigned) {
    *ready = new Graph(*graph);
    return cudaSuccess;
}
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t ready, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo*) {
    const Lock lock(device_lock());
    *ready = *graph;
    return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t ready, cudaStream_t stream) {
    const Lock lock(device_lock());
    for (const Work& work : ready->work) enqueue(stream, work);
    return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
    delete graph;
    return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t ready) {
    delete ready;
    return cudaSuccess;
}
