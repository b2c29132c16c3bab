package io.headgate.testkit.consul;

import java.util.Optional;

/**
 * A reply of Consul.
 *
 * @param index the index of a read
 */
record ConsulReply(int status, String body, Optional<Long> index) {

    ConsulReply(int status, String body) {
        this(status, body, Optional.empty());
    }
}
