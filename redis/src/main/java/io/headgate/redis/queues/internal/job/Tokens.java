package io.headgate.redis.queues.internal.job;

import java.security.SecureRandom;
import java.util.Random;

/** Creates the tokens of claims: random, so that no two claims share one, not even across a loss of data. */
public final class Tokens {

    private static final int BYTES = 12;
    private static final Random RANDOM = new SecureRandom();

    private Tokens() {}

    public static byte[] next() {
        byte[] token = new byte[BYTES];
        RANDOM.nextBytes(token);
        return token;
    }
}
