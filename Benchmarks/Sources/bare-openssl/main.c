// The yardstick for warrants: how often libcrypto signs 32 bytes, the key being ready.
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int sign(EVP_PKEY *key, const unsigned char *message, unsigned char *signature) {
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    size_t length = 64;
    int done = context && EVP_DigestSignInit(context, NULL, NULL, NULL, key) == 1 &&
               EVP_DigestSign(context, signature, &length, message, 32) == 1;
    EVP_MD_CTX_free(context);
    return done;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fputs("usage: bare-openssl SECONDS\n\nPrints {\"count\":N,\"seconds\":S}.\n", stderr);
        return 2;
    }
    double limit = atof(argv[1]);
    unsigned char seed[32], message[32], signature[64];
    memset(seed, 7, sizeof seed);
    memset(message, 9, sizeof message);
    EVP_PKEY *key = EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, NULL, seed, sizeof seed);
    if (!key) return 1;
    for (int index = 0; index < 200; index++)
        if (!sign(key, message, signature)) return 1;
    long count = 0;
    double start = now(), end = start;
    while (end - start < limit) {
        for (int index = 0; index < 100; index++) {
            if (!sign(key, message, signature)) return 1;
            // Signs what came out before, so that nothing can be left out.
            memcpy(message, signature, sizeof message);
        }
        count += 100;
        end = now();
    }
    EVP_PKEY_free(key);
    printf("{\"count\":%ld,\"seconds\":%.6f}\n", count, end - start);
    return 0;
}
