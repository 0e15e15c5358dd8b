// SPDX-License-Identifier: MIT
// The public header in C++.
#include <genalpha/genalpha.h>

int main() {
  ga_options o = ga_options_default();
  ga_error err;
  return ga_options_set(&o, "h", "1e-2", &err) == GA_OK && o.h == 1e-2 ? 0 : 1;
}
