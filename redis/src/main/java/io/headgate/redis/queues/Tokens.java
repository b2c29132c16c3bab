package io.headgate.redis.queues;

import java.security.SecureRandom;
import java.util.Random;

/** Tokens of claims: random, so that no two claims ever have the same, also not before and after a loss of data. */
final class Tokens {

    private static final int BYTES = 12;
    private static final Random RANDOM = new SecureRandom();

    private Tokens() {}

    static byte[] next() {
        byte[] token = new byte[BYTES];
        RANDOM.nextBytes(token);
        return token;
    }
}
