#include "bc-pki/commands.h"

#include <array>

#include "common/bundle_file.h"

namespace cli {
namespace {

// In help order.
constexpr std::array kCommands = {
    &kInit,      &kShow,      &kDiff,   &kPins,   &kExport, &kIssueGateway,      &kIssueInternal,
    &kIssueNode, &kRenewCa,   &kSignCa, &kReseal, &kRotate, &kRotateCommandRoot, &kAddSandboxCa,
    &kDoctor,    &kCompletion};

constexpr std::array kVariables = {
    Variable{"BETTER_COMPUTE_SECRET", "The secret that seals the bundle, at least 32 characters"},
    Variable{"BETTER_COMPUTE_SECRET_FILE", "A file that holds it"},
    Variable{"BETTER_COMPUTE_SECRET_PREVIOUS", "The secret before it, tried second"},
    Variable{"BETTER_COMPUTE_SECRET_PREVIOUS_FILE", "A file that holds that"},
    Variable{"BETTER_COMPUTE_PKI", "The bundle, where --pki is not given"},
    Variable{"BETTER_COMPUTE_TRUST_DOMAIN", "The trust domain that the bundle must have"},
    Variable{"BETTER_COMPUTE_ROOT_KEY_PASSPHRASE", "Opens an encrypted PEM key of --root-key"},
    Variable{"BETTER_COMPUTE_PKI_ALLOW_UNAUTHENTICATED",
             "1 lets readers load a bundle that no seal vouches for"},
};

}  // namespace

constinit const Tool kTool{.name = "bc-pki",
                           .version = BCPKI_VERSION,
                           .summary = "the PKI of one machine fleet",
                           .commands = kCommands,
                           .variables = kVariables};

}  // namespace cli
