/// cmark-gfm, CommonMark with GitHub's tables and autolinks. Written for 0.29.0.gfm.6 (Debian 12).
#pragma once
#include <cmark-gfm.h>
#include <cmark-gfm-extension_api.h>
#include <cmark-gfm-core-extensions.h>
