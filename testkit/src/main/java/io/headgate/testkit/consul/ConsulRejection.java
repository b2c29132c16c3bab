package io.headgate.testkit.consul;

/** A request that Consul rejects. */
final class ConsulRejection extends RuntimeException {

    private static final long serialVersionUID = 1;

    private final int status;

    ConsulRejection(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
