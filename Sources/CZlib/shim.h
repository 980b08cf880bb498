#ifndef MEROKIT_CZLIB_SHIM_H
#define MEROKIT_CZLIB_SHIM_H

#include <zlib.h>

#endif
