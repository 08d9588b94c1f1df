// What the fmt headers leave to be compiled once, for `char` alone: Debian has no static libfmt,
// and its shared one would bring the shared C++ runtime along. The namespace is set by the build.
#include <locale>

#include <fmt/format-inl.h>

namespace fmt::detail {

template void vformat_to<char>(buffer<char>&, basic_string_view<char>,
                               basic_format_args<buffer_context<char>>, locale_ref);
template void buffer<char>::append<char>(const char*, const char*);
template char decimal_point_impl<char>(locale_ref);
template thousands_sep_result<char> thousands_sep_impl<char>(locale_ref);
template locale_ref::locale_ref(const std::locale&);
template std::locale locale_ref::get<std::locale>() const;
template dragonbox::decimal_fp<float> dragonbox::to_decimal<float>(float) noexcept;
template dragonbox::decimal_fp<double> dragonbox::to_decimal<double>(double) noexcept;

}  // namespace fmt::detail
