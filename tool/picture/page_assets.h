/* SPDX-License-Identifier: MIT */
/* The files of tool/picture/page as texts; cmake/embed.cmake makes them when the tool is built. */
#ifndef CLI_VIEW_ASSETS_H
#define CLI_VIEW_ASSETS_H

extern const char view_page[], view_style[], view_script[], view_notice[];

#endif
