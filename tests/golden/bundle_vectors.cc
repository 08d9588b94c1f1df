#include "golden/bundle_cases.h"
#include "golden/vectors.h"

namespace bcpki::golden {

void replay_bundles(Members& document, Folder& folder, Report& report) {
  document.text("now");  // no date decides whether a bundle opens
  each_case(document.list("cases"), report, [&](Members& members) {
    const auto wanted = read_bundle_case(members);
    const auto outcome = open_case(wanted, folder);
    expect_equal("error", outcome.error, wanted.error);
    expect_equal("check", outcome.check, wanted.check);
    expect_equal("pins", outcome.pins, wanted.pins.value_or(""));
  });
}

}  // namespace bcpki::golden
