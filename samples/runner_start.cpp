// Runner::start(): checks a configuration, opens its devices and starts the frontend thread.
#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/array/blas.h"
#include "engine/device/device_registry.h"
#include "samples/runner.h"
#include "samples/runner_state.h"

namespace runahead::samples {

namespace {

using StartError = Runner::StartError;

// The device to add if the workload needs two devices and only one was requested. Empty: none.
std::string partner_of(const std::string& device, const WorkloadSpec& spec) {
  const auto other = [&device](const std::string& partner) { return partner != device; };
  const auto found = std::ranges::find_if(spec.partners, other);
  return found != spec.partners.end() ? *found : std::string();
}

// Splits "virtual:0, virtual:1" at comma and blank. A comma without a blank starts an option of a device.
std::vector<std::string> names_in(std::string_view list) {
  constexpr std::string_view kBetween = ", ";
  std::vector<std::string> names;
  for (std::size_t end = list.find(kBetween); end != std::string_view::npos; end = list.find(kBetween)) {
    names.emplace_back(list.substr(0, end));
    list.remove_prefix(end + kBetween.size());
  }
  names.emplace_back(list);
  return names;
}

bool takes_a_number(BarrierKind kind) {
  return kind == BarrierKind::kWindow || kind == BarrierKind::kOps || kind == BarrierKind::kBytes;
}

std::optional<StartError> check_words(const RunConfig& config, const WorkloadSpec& spec) {
  if (takes_a_number(config.barrier.kind) && config.barrier.k <= 0) {
    return StartError{Error{"barrier '" + to_string(config.barrier) + "' needs a number above 0"}, true};
  }
  if (spec.needs_accelerator && config.devices.front() == "cpu") {
    return StartError{Error{"workload " + spec.name +
                            " needs a device besides the cpu; choose one, such as --device virtual:0"},
                      true};
  }
  return std::nullopt;
}

// Called for a device that was refused. True: the name itself is wrong (a usage error), because it is unknown
// or has a wrong option. False: the name is known and has no options, so this machine lacks the device or
// cannot open it.
bool is_wrong_word(const std::string& name) {
  const bool has_options = name.find(',') != std::string::npos;
  return has_options ||
         (name != "cpu" && !engine::is_virtual_device(name) && !engine::is_module_device(name));
}

std::optional<StartError> open_devices(const RunConfig& config, engine::Engine& engine, RunContext& context) {
  for (const std::string& name : config.devices) {
    const Result<engine::Device*> device = engine.device(name);
    if (!device.ok()) return StartError{device.error(), is_wrong_word(name)};
    context.devices.push_back(*device);
  }
  const Result<engine::Device*> cpu = engine.device("cpu");
  if (!cpu.ok()) return StartError{cpu.error(), false};
  context.cpu = *cpu;
  return std::nullopt;
}

Duration per_op_cost(const Parameters& parameters) {
  return std::chrono::duration_cast<Duration>(
      std::chrono::duration<double, std::micro>(parameters.at("frontend_us")));
}

}  // namespace

std::vector<std::string> names_of_devices(const RunConfig& config) {
  const WorkloadSpec* const spec = find_workload(config.workload);
  std::vector<std::string> names = config.devices;
  if (spec == nullptr) return names;
  if (names.empty()) names = names_in(spec->default_device);
  if (names.size() == 1) {
    if (std::string partner = partner_of(names.front(), *spec); !partner.empty())
      names.push_back(std::move(partner));
  }
  return names;
}

std::optional<Runner::StartError> Runner::check(RunConfig config) {
  const Result<std::unique_ptr<Workload>> workload = make_workload(config.workload);
  if (!workload.ok()) return StartError{workload.error(), true};
  const WorkloadSpec& spec = (*workload)->spec();
  config.devices = names_of_devices(config);
  if (auto wrong = check_words(config, spec)) return wrong;
  const Result<Parameters> parameters = make_parameters(spec, config.size, config.settings);
  if (!parameters.ok()) return StartError{parameters.error(), true};
  for (const std::string& name : config.devices) {
    if (const Status there = engine::check_device(name); !there)
      return StartError{there.error(), is_wrong_word(name)};
  }
  return std::nullopt;
}

std::variant<std::unique_ptr<Runner>, StartError> Runner::start(RunConfig config, bool start_paused) {
  if (auto refused = check(config)) return *refused;
  Result<std::unique_ptr<Workload>> workload = make_workload(config.workload);
  const Result<Parameters> parameters = make_parameters((*workload)->spec(), config.size, config.settings);
  const std::size_t asked = config.devices.size();
  config.devices = names_of_devices(config);

  std::unique_ptr<Runner> runner(new Runner());
  State& state = *runner->state_;
  engine::set_blas_threads(config.blas_threads);
  state.engine = engine::Engine::create(config.engine);
  if (auto refused = open_devices(config, *state.engine, state.context)) return *refused;
  state.control.emplace(*state.engine,
                        LiveControl::Options{.steps = static_cast<std::int64_t>(parameters->at("steps")),
                                             .endless = config.endless,
                                             .start_paused = start_paused,
                                             .barrier = config.barrier});
  state.devices_asked = asked > 0 ? asked : config.devices.size();
  state.config = std::move(config);
  state.workload = std::move(workload).value();
  state.context.engine = state.engine.get();
  state.context.parameters = *parameters;
  state.context.control = &*state.control;
  state.control->set_context(&state.context);
  state.engine->set_frontend_cost(per_op_cost(*parameters));
  state.frontend = std::thread([&state] { state.run_frontend(); });
  return runner;
}

}  // namespace runahead::samples
