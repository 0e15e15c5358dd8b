/* SPDX-License-Identifier: MIT */
/* HDF5's stack of errors as one sentence. */
#include <stdio.h>
#include <string.h>

#include "h5.h"

/* the innermost entry of the stack has the reason */
static herr_t innermost(unsigned n, const H5E_error2_t *entry, void *data) {
  h5_listener *l = data;
  if (n == 0 && entry->desc) snprintf(l->reason, sizeof l->reason, "%s", entry->desc);
  return 0;
}

static herr_t hear(hid_t stack, void *data) {
  h5_listener *l = data;
  if (!l->reason[0]) H5Ewalk2(stack, H5E_WALK_UPWARD, innermost, l);
  return 0;
}

void ga_h5_listen(h5_listener *l) {
  *l = (h5_listener){.function = NULL};
  H5Eget_auto2(H5E_DEFAULT, &l->function, &l->data);
  H5Eset_auto2(H5E_DEFAULT, hear, l);
}

ga_status ga_h5_leave(h5_listener *l, ga_status status) {
  if (status == GA_OK || l->function == hear) {
    H5Eset_auto2(H5E_DEFAULT, l->function, l->data);
  } else {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  }
  return status;
}

/* the listener that is at work now */
static h5_listener *listener(void) {
  H5E_auto2_t function = NULL;
  void *data = NULL;
  return H5Eget_auto2(H5E_DEFAULT, &function, &data) >= 0 && function == hear ? data : NULL;
}

void ga_h5_forget(void) {
  h5_listener *l = listener();
  if (l) l->reason[0] = '\0';
}

/* Where the system refused, HDF5 quotes the system's own words among much else:
 * error message = 'No space left on device'. */
ga_status ga_h5_fail(ga_error *err, ga_status status, const char *doing, const char *path) {
  static const char mark[] = "error message = '";
  const h5_listener *l = listener();
  const char *reason = l && l->reason[0] ? l->reason : "HDF5 failed";
  const char *quoted = strstr(reason, mark);
  if (quoted) reason = quoted + sizeof mark - 1;
  const int length = (int)(quoted ? strcspn(reason, "'") : strlen(reason));
  return ga_store_fail(err, status, "cannot %s '%s': %.*s", doing, path, length, reason);
}
