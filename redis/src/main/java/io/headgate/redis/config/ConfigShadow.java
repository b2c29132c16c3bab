package io.headgate.redis.config;

import io.headgate.redis.internal.script.ScriptCall;
import java.util.Optional;

/**
 * The shadow version of a configuration, which instances evaluate beside the current version. There is at most one. Its versions have
 * numbers of their own, and the last two of them are kept. Its key is {@code hg:config:NAME:shadow}, a hash like that of the configuration.
 * Methods fail as those of {@link RedisConfigStore}.
 */
public final class ConfigShadow {

    /** Only the last two versions are kept, since each write needs only the current one. */
    private static final long NO_HISTORY = 0;

    /** Makes a call, by the name of its operation. */
    interface Calls {
        <T> T await(String operation, ScriptCall<T> call);
    }

    private final ConfigScripts scripts;
    private final Calls calls;

    ConfigShadow(String key, String channel, Calls calls) {
        this.scripts = new ConfigScripts(key, channel, NO_HISTORY);
        this.calls = calls;
    }

    /** Returns the id of the shadow version; empty if there is none. */
    public Optional<String> currentId() {
        return calls.await("read", scripts.currentId());
    }

    /** Returns the shadow version without its texts; empty if there is none. */
    public Optional<ConfigVersion> current() {
        return calls.await("read", scripts.current());
    }

    /** Returns the shadow version; empty if there is none. */
    public Optional<StoredConfig> read() {
        return calls.await("read", scripts.find(Optional.empty()));
    }

    /**
     * Writes the shadow version if the present one is the expected one.
     *
     * @param replaces the id of the expected shadow version; empty if there must be none
     */
    public ConfigWrite write(ConfigDraft draft, Optional<String> replaces) {
        return calls.await(ConfigScripts.WRITE_OPERATION, scripts.write(draft, replaces));
    }

    /** Removes the shadow version if it is the expected one; returns whether it was. */
    public boolean remove(String expected) {
        return calls.await("remove", scripts.remove(expected));
    }
}
