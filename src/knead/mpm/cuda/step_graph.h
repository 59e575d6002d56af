// A few steps as one CUDA graph: put together once a batch, then started again and again.
#pragma once

#include "knead/cuda/device_array.h"

namespace knead {

class StepGraph {
public:
    StepGraph() {
        check_cuda(cudaStreamCreateWithFlags(&recording_, cudaStreamNonBlocking), "starting");
    }
    ~StepGraph() {
        if (ready_) cudaGraphExecDestroy(ready_);
        cudaStreamDestroy(recording_);
    }
    StepGraph(const StepGraph&) = delete;
    StepGraph& operator=(const StepGraph&) = delete;

    // Keeps what put(stream) launches, and runs none of it.
    template <class Put>
    void record(const Put& put) {
        check_cuda(cudaStreamBeginCapture(recording_, cudaStreamCaptureModeThreadLocal), what);
        put(recording_);
        cudaGraph_t graph = nullptr;
        check_cuda(cudaStreamEndCapture(recording_, &graph), what);
        make_ready(graph);
        cudaGraphDestroy(graph);
    }
    void start(cudaStream_t stream) const { check_cuda(cudaGraphLaunch(ready_, stream), what); }

private:
    static constexpr const char* what = "starting steps";

    // Mostly only arguments differ from the graph there was: as many kernels, one after the other.
    void make_ready(cudaGraph_t graph) {
        std::size_t kernels = 0;
        check_cuda(cudaGraphGetNodes(graph, nullptr, &kernels), what);
        cudaGraphExecUpdateResultInfo info{};
        if (ready_ && kernels == kernels_) {
            if (cudaGraphExecUpdate(ready_, graph, &info) == cudaSuccess) return;
            cudaGetLastError();
        }
        if (ready_) cudaGraphExecDestroy(ready_);
        ready_ = nullptr;
        check_cuda(cudaGraphInstantiate(&ready_, graph, 0), what);
        kernels_ = kernels;
    }

    cudaStream_t recording_ = nullptr;
    cudaGraphExec_t ready_ = nullptr;
    std::size_t kernels_ = 0;
};

}  // namespace knead
