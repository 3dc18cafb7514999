// Activities: the records that CUPTI would have made of a profile, as the structures of CUPTI's headers, byte
// by byte as they lie in CUPTI's buffers.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cupti/replay/profile.h"

namespace runahead::testing {

struct Activity {
  std::string record;  // the bytes of a CUpti_Activity...
  // CUPTI gives the record its place in a buffer when the call or the launch begins (begun), and completes
  // the record when the call or the work has ended. Times as in the profile.
  std::int64_t begun = 0, completed = 0;
  std::uint32_t tid = 0;   // the thread that made the call or launched the work
  bool of_device = false;  // CUPTI learns the times of this record from the device, later than those of calls
};

// The callback of the call with this name, with or without the version at its end. CUPTI of this machine has
// the numbers; a name that it does not know gets a number of its own (fake_cupti.h).
struct CallNumber {
  CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_RUNTIME_API;
  std::uint32_t cbid = 0;
};
[[nodiscard]] CallNumber number_of_call(const ProfiledCall& call);

// `shift_ns` is added to each time. Calls of the profile that CUPTI does not record have no record. The
// profile must outlive the activities, which have the addresses of its names.
[[nodiscard]] std::vector<Activity> make_activities(const Profile& profile, std::int64_t shift_ns,
                                                    const std::vector<bool>& recorded_calls);

}  // namespace runahead::testing
