/* SPDX-License-Identifier: MIT */
/* The files of tool/picture/page as texts; cmake/embed.cmake makes them when the tool is built. */
#ifndef TOOL_PICTURE_PAGE_ASSETS_H
#define TOOL_PICTURE_PAGE_ASSETS_H

extern const char view_page[], view_style[], view_script[], view_notice[];

#endif
