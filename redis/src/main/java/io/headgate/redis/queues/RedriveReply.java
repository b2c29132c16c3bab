package io.headgate.redis.queues;

import java.nio.charset.StandardCharsets;

/**
 * The reply of redrive.lua.
 *
 * @param redriven how many dead letters were redriven
 * @param full whether there are dead letters, and the queue has no room for any of them
 */
record RedriveReply(int redriven, boolean full) {

    static RedriveReply of(byte[] reply) {
        return reply.length == 0
                ? new RedriveReply(0, true)
                : new RedriveReply(Integer.parseInt(new String(reply, StandardCharsets.US_ASCII)), false);
    }
}
