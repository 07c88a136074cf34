#include <exception>
#include <thread>

#include "sandproof/data_plane.h"

namespace sandproof {
namespace {

// Send makes one request over a data plane.
struct Send {
  DataPlane& data_plane;
  Clock& clock;

  Answer operator()(const Wait& wait) const {
    clock.wait(wait.duration);
    return Accepted{};
  }
  Answer operator()(const CreateCall& call) const {
    return data_plane.create(call.body, k_create_bound);
  }
  Answer operator()(const GetCall& call) const {
    return data_plane.get(call.id.borrow(), k_call_bound);
  }
  Answer operator()(const DeleteCall& call) const {
    return data_plane.remove(call.id.borrow(), k_call_bound);
  }
  Answer operator()(const StopCall& call) const {
    return data_plane.stop(call.id.borrow(), k_call_bound);
  }
  Answer operator()(const ResumeCall& call) const {
    return data_plane.resume(call.id.borrow(), k_call_bound);
  }
  Answer operator()(const ExecCall& call) const {
    return data_plane.execute(call.id.borrow(), call.body, call.guard);
  }
  Answer operator()(const ReadFileCall& call) const {
    return data_plane.read_file(call.id.borrow(), call.path.borrow(), k_call_bound);
  }
  Answer operator()(const WriteFileCall& call) const {
    return data_plane.write_file(call.id.borrow(), call.path.borrow(), call.content, k_call_bound);
  }
  Answer operator()(const MkdirCall& call) const {
    return data_plane.mkdir(call.id.borrow(), call.body, k_call_bound);
  }
};

// A transport that throws did not complete its call. The operation must hear of it: it may have a
// sandbox to delete.
Answer send(const Request& request, DataPlane& data_plane, Clock& clock) {
  try {
    return std::visit(Send{data_plane, clock}, request);
  } catch (const std::exception& error) {
    return std::unexpected(TransportError::unavailable(error.what()));
  } catch (...) {
    return std::unexpected(TransportError::unavailable());
  }
}

}  // namespace

Instant SteadyClock::now() {
  return std::chrono::time_point_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now());
}

void SteadyClock::wait(std::chrono::milliseconds duration) {
  std::this_thread::sleep_for(duration);
}

void run_to_end(AnyOperation& operation, DataPlane& data_plane, Clock& clock) {
  while (const Request* request = operation.request()) {
    operation.sent(clock.now());
    Answer answer = send(*request, data_plane, clock);
    operation.resume(std::move(answer), clock.now());
  }
}

}  // namespace sandproof
