// The commands of bc-pki, one file each, and what more than one of them uses.
#pragma once

#include <string>

#include "bcpki/bundle.h"
#include "bcpki/time.h"

#include "common/command.h"
#include "common/report.h"

namespace cli {

extern const Command kInit;
extern const Command kShow;
extern const Command kDiff;
extern const Command kPins;
extern const Command kExport;
extern const Command kIssueGateway;
extern const Command kIssueInternal;
extern const Command kIssueNode;
extern const Command kRenewCa;
extern const Command kSignCa;
extern const Command kReseal;
extern const Command kRotate;
extern const Command kRotateCommandRoot;
extern const Command kAddSandboxCa;
extern const Command kDoctor;
extern const Command kCompletion;

// with_days_left is how people read the end of a certificate: `2027-11-30 (364 days left)`.
std::string with_days_left(bcpki::UnixTime end, bcpki::UnixTime now);

// add_pins adds what `show` prints of a bundle behind its path and trust domain.
void add_pins(Report& report, const bcpki::Pins& pins, bcpki::UnixTime now);

}  // namespace cli
