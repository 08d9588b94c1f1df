// An approver set as JSON: the member `set` of its file.
#pragma once

#include "bcpki/approver_set.h"

#include "quorum/fields.h"

namespace bcpki {

// claimed_quorum reads the object; it judges each value and not yet the set.
ClaimedQuorum claimed_quorum(Fields fields);

json::Value set_json(const ApproverSet& set);

ClaimedSignature read_signature(Fields fields);
json::Value signature_json(const ClaimedSignature& signature);

}  // namespace bcpki
