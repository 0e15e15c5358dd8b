/* SPDX-License-Identifier: MIT */
/* Messages: HDF5's stack of errors as one sentence. */
#include <stdio.h>
#include <string.h>

#include "h5.h"

/* Keep the text of the innermost entry of the error stack, which has the reason. */
static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *data) {
  h5_listener *l = data;
  if (n == 0 && entry->desc) snprintf(l->reason, sizeof l->reason, "%s", entry->desc);
  return 0;
}

/* Called by HDF5 for each error: keep the reason of the first one. */
static herr_t receive_error(hid_t stack, void *data) {
  h5_listener *l = data;
  if (!l->reason[0]) H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, l);
  return 0;
}

/* Collect errors of HDF5 in *l from now on, instead of printing them, until ga_h5_leave; *l also
 * keeps the setting of before. */
void ga_h5_listen(h5_listener *l) {
  *l = (h5_listener){.function = NULL};
  H5Eget_auto2(H5E_DEFAULT, &l->function, &l->data);
  H5Eset_auto2(H5E_DEFAULT, receive_error, l);
}

/* Restore the setting before ga_h5_listen; after a failure errors are not printed any more. Returns
 * status. */
ga_status ga_h5_leave(h5_listener *l, ga_status status) {
  if (status == GA_OK || l->function == receive_error) {
    H5Eset_auto2(H5E_DEFAULT, l->function, l->data);
  } else {
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
  }
  return status;
}

/* the present listener, NULL if there is none */
static h5_listener *present_listener(void) {
  H5E_auto2_t function = NULL;
  void *data = NULL;
  return H5Eget_auto2(H5E_DEFAULT, &function, &data) >= 0 && function == receive_error ? data
                                                                                       : NULL;
}

/* Forget the errors so far: they were expected. */
void ga_h5_forget(void) {
  h5_listener *l = present_listener();
  if (l) l->reason[0] = '\0';
}

/* Write "cannot DOING 'PATH': reason" to err (may be NULL), with the reason that the present
 * listener kept, and return status. If a system call failed, HDF5's long text contains the system's
 * message: error message = 'No space left on device'. Only that is shown. */
ga_status ga_h5_fail(ga_error *err, ga_status status, const char *doing, const char *path) {
  static const char mark[] = "error message = '";
  const h5_listener *l = present_listener();
  const char *reason = l && l->reason[0] ? l->reason : "HDF5 failed";
  const char *quoted = strstr(reason, mark);
  if (quoted) reason = quoted + sizeof mark - 1;
  const int length = (int)(quoted ? strcspn(reason, "'") : strlen(reason));
  return ga_store_fail(err, status, "cannot %s '%s': %.*s", doing, path, length, reason);
}
