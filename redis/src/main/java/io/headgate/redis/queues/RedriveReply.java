package io.headgate.redis.queues;

import java.nio.charset.StandardCharsets;

/**
 * What a call that redrives did.
 *
 * @param redriven how many dead letters wait again
 * @param full whether there are some, and the queue has no room for any
 */
record RedriveReply(int redriven, boolean full) {

    static RedriveReply of(byte[] reply) {
        return reply.length == 0
                ? new RedriveReply(0, true)
                : new RedriveReply(Integer.parseInt(new String(reply, StandardCharsets.US_ASCII)), false);
    }
}
