// For programs whose whole process is their own, such as command-line tools.
#pragma once

namespace bcpki {

// start_own_process makes the first use of OpenSSL faster: it reads no openssl.cnf (the library's
// own context never does), registers no legacy names and frees no tables when the process ends. It
// is for programs that use OpenSSL through this library alone; in any other it would change OpenSSL
// for everybody. Call it before anything else of the library, once.
void start_own_process();

}  // namespace bcpki
