package io.headgate.testkit.consul;

/**
 * What a token of Consul's access control lists allows.
 *
 * @param prefix the first part of the keys that it may read
 * @param writes whether it may write these keys, too
 * @param sessions whether it may create, renew and destroy sessions
 */
public record ConsulToken(String prefix, boolean writes, boolean sessions) {

    static final ConsulToken ALL = new ConsulToken("", true, true);

    boolean reads(String key) {
        return key.startsWith(prefix);
    }

    void requireRead(String key) {
        require(reads(key), "key:read on \"" + key + "\"");
    }

    void requireWrite(String key) {
        require(writes && reads(key), "key:write on \"" + key + "\"");
    }

    void requireSessions() {
        require(sessions, "session:write on this node");
    }

    private static void require(boolean allowed, String permission) {
        if (!allowed) {
            throw new ConsulRejection(403, "Permission denied: token lacks permission '" + permission + "'");
        }
    }
}
