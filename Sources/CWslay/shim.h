#ifndef MEROKIT_CWSLAY_SHIM_H
#define MEROKIT_CWSLAY_SHIM_H

#include <wslay/wslay.h>

#endif
