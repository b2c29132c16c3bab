package io.headgate.redis.queues.internal.job;

import java.security.SecureRandom;
import java.util.Random;

/** Creates the tokens of claims. They are random, so that no two claims share one, even if Redis loses its data. */
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
