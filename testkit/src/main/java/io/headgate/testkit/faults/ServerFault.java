package io.headgate.testkit.faults;

import io.headgate.testkit.Await;
import io.headgate.testkit.RedisProbe;
import io.headgate.testkit.RedisServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A fault of a real Redis, in which it rejects commands or connections; closing it ends the fault.
 *
 * <pre>{@code
 * try (ServerFault busy = ServerFault.busy(redis)) {
 *     ... // Redis answers commands with BUSY
 * }
 * }</pre>
 *
 * <p>A factory method returns when the fault has started, {@link #close()} when it has ended. The server must be {@linkplain
 * RedisServer#isOwn() own} and permit {@code CONFIG SET}. For other errors, use {@link FaultProxy#answerWithError}.
 */
public final class ServerFault implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final String PROBE_KEY = "headgate-testkit-fault";

    private static final String WRITE = "local value = string.rep('x', ARGV[2])"
            + " for i = 1, ARGV[1] do redis.call('SET', KEYS[1] .. i, value, 'EX', 600) end";
    private static final String REMOVE = "for i = 1, ARGV[1] do redis.call('DEL', KEYS[1] .. i) end";

    private final RedisProbe probe;
    private final Runnable end;

    private ServerFault(RedisProbe probe, Runnable end) {
        this.probe = probe;
        this.end = end;
    }

    /** {@code BUSY}: an endless script runs, and Redis rejects all commands of other clients but some such as AUTH and HELLO. */
    public static ServerFault busy(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        String before = config(probe, "lua-time-limit");
        probe.command("CONFIG", "SET", "lua-time-limit", "1");
        Thread script = new Thread(() -> runForever(server.url()), "headgate-fault-busy");
        script.setDaemon(true);
        script.start();
        awaitAnswer("a busy Redis", probe, "BUSY", "PING");
        return new ServerFault(probe, () -> {
            probe.command("SCRIPT", "KILL");
            Await.until("the end of the script", TIMEOUT, () -> answers(probe, "PONG", "PING"));
            probe.command("CONFIG", "SET", "lua-time-limit", before);
        });
    }

    private static void runForever(String url) {
        try (RedisProbe script = RedisProbe.of(url)) {
            script.command("EVAL", "while true do end", "0");
        } catch (RedisProbe.ErrorReply | UncheckedIOException e) {
            // The script was killed, or the probe timed out while the script still runs.
            return;
        }
    }

    /** {@code OOM}: Redis is out of memory, evicts nothing, and rejects commands that need more memory. */
    public static ServerFault outOfMemory(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        return configured(probe, "OOM", List.of("maxmemory-policy", "noeviction", "maxmemory", "1"));
    }

    /** {@code NOREPLICAS}: Redis rejects writes because it has too few replicas. */
    public static ServerFault withoutReplicas(RedisServer server) {
        return configured(RedisProbe.of(server.url()), "NOREPLICAS", List.of("min-replicas-to-write", "5"));
    }

    /** {@code MISCONF}: a snapshot failed, and Redis rejects writes until one succeeds. */
    public static ServerFault unableToSave(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        String save = config(probe, "save");
        // A folder with the name of the snapshot file.
        Path obstacle = Path.of(config(probe, "dir"), config(probe, "dbfilename"));
        file(() -> Files.createDirectory(obstacle));
        probe.command("CONFIG", "SET", "save", "3600 1000000");
        saveInBackground(probe, "err");
        awaitAnswer("refused writes", probe, "MISCONF", "SET", PROBE_KEY, "", "EX", "60");
        return new ServerFault(probe, () -> {
            file(() -> Files.delete(obstacle));
            saveInBackground(probe, "ok");
            probe.command("CONFIG", "SET", "save", save);
        });
    }

    private static void saveInBackground(RedisProbe probe, String end) {
        probe.command("BGSAVE");
        Await.until("the end of a snapshot", TIMEOUT, () -> {
            Map<String, String> persistence = probe.info("persistence");
            return "0".equals(persistence.get("rdb_bgsave_in_progress"))
                    && end.equals(persistence.get("rdb_last_bgsave_status"));
        });
    }

    /** {@code READONLY}: Redis is a replica of a missing primary, and rejects writes; connections stay, except in BLPOP and the like. */
    public static ServerFault readOnly(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        probe.command("REPLICAOF", "127.0.0.1", "1");
        awaitAnswer("refused writes", probe, "READONLY", "SET", PROBE_KEY, "", "EX", "60");
        return new ServerFault(probe, () -> probe.command("REPLICAOF", "NO", "ONE"));
    }

    /** {@code MASTERDOWN}: like {@link #readOnly}, and Redis also rejects reads, because its data may be stale. */
    public static ServerFault withoutPrimary(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        String before = config(probe, "replica-serve-stale-data");
        probe.command("CONFIG", "SET", "replica-serve-stale-data", "no");
        probe.command("REPLICAOF", "127.0.0.1", "1");
        awaitAnswer("refused reads", probe, "MASTERDOWN", "GET", PROBE_KEY);
        return new ServerFault(probe, () -> {
            probe.command("REPLICAOF", "NO", "ONE");
            probe.command("CONFIG", "SET", "replica-serve-stale-data", before);
        });
    }

    /** {@code ERR max number of clients reached}: Redis replies this to new clients and disconnects them; open connections stay. */
    public static ServerFault full(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        String before = config(probe, "maxclients");
        probe.command("CONFIG", "SET", "maxclients", "1");
        return new ServerFault(probe, () -> probe.command("CONFIG", "SET", "maxclients", before));
    }

    /**
     * {@code NOPERM}: the default user may no longer run these commands, on new and on open connections. Closing the fault permits that
     * user all commands.
     *
     * @param commands their names, such as {@code evalsha}
     */
    public static ServerFault withoutRights(RedisServer server, String... commands) {
        RedisProbe probe = RedisProbe.of(server.url());
        for (String command : commands) {
            probe.command("ACL", "SETUSER", "default", "-" + command);
        }
        return new ServerFault(probe, () -> probe.command("ACL", "SETUSER", "default", "+@all"));
    }

    /** {@code NOAUTH}: Redis requires a password, and has ended the connections of its clients. */
    public static ServerFault withPassword(RedisServer server, String password) {
        RedisProbe probe = RedisProbe.of(server.url());
        probe.command("CONFIG", "SET", "requirepass", password);
        probe.command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
        probe.command("CLIENT", "KILL", "TYPE", "pubsub");
        return new ServerFault(probe, () -> probe.command("CONFIG", "SET", "requirepass", ""));
    }

    /**
     * {@code LOADING}: Redis saves its data, is killed and starts again. It loads its data until the fault is closed, or for about 40
     * seconds (27 before Redis 7), and rejects every command on data meanwhile. Closing the fault kills and restarts it once more. So all
     * connections end twice, and Redis loses what {@code CONFIG SET} has changed.
     */
    public static ServerFault loading(RedisServer server) {
        RedisProbe probe = RedisProbe.of(server.url());
        Load load = hasSetting(probe, Load.INTERVAL_SETTING) ? Load.OF_SMALL_KEYS : Load.OF_LARGE_KEYS;
        probe.command("CONFIG", "SET", "rdbcompression", "no");
        probe.command("EVAL", WRITE, "1", PROBE_KEY, "" + load.keys(), "" + load.bytes());
        Path snapshot = Path.of(config(probe, "dir"), config(probe, "dbfilename"));
        boolean appends = config(probe, "appendonly").equals("yes");
        if (appends) {
            rewriteAppendOnlyFile(probe);
        } else {
            probe.command("SAVE");
        }
        server.kill();
        server.restartLoading(load.arguments());
        awaitAnswer("a Redis that reads its data", probe, "LOADING", "GET", PROBE_KEY);
        return new ServerFault(probe, () -> {
            server.kill(); // before 7.0, nothing makes it load faster
            server.restart();
            awaitAnswer("the data to be read", probe, "null", "GET", PROBE_KEY);
            probe.command("EVAL", REMOVE, "1", PROBE_KEY, "" + load.keys());
            if (!appends) {
                file(() -> Files.delete(snapshot));
            }
        });
    }

    /**
     * The data to load. While it loads, Redis answers commands after each 2 MiB; since 7.0, a setting changes that interval.
     *
     * @param bytes the size of each value; from 64 MiB together, Redis would rewrite its append-only file by itself
     * @param delayMicros the pause after each key
     * @param often whether Redis has that setting
     */
    private record Load(int keys, int bytes, int delayMicros, boolean often) {

        static final String INTERVAL_SETTING = "loading-process-events-interval-bytes";
        static final Load OF_SMALL_KEYS = new Load(20_000, 4, 2_000, true);
        static final Load OF_LARGE_KEYS = new Load(900, 65_536, 30_000, false);

        List<String> arguments() {
            List<String> arguments = new ArrayList<>(List.of("--key-load-delay", "" + delayMicros));
            if (often) {
                arguments.addAll(List.of("--" + INTERVAL_SETTING, "1024"));
            }
            return arguments;
        }
    }

    private static void rewriteAppendOnlyFile(RedisProbe probe) {
        probe.command("BGREWRITEAOF");
        Await.until("the file to be rewritten", TIMEOUT, () -> {
            Map<String, String> persistence = probe.info("persistence");
            return "0".equals(persistence.get("aof_rewrite_in_progress"))
                    && "0".equals(persistence.get("aof_rewrite_scheduled"));
        });
    }

    /** Makes Redis evict all its keys, as it does when out of memory; then restores the configuration. */
    public static void evictAll(RedisServer server) {
        try (RedisProbe probe = RedisProbe.of(server.url())) {
            Runnable end = configure(probe, List.of("maxmemory-policy", "allkeys-lru", "maxmemory", "1"));
            Await.until("all keys to be evicted", TIMEOUT, () -> {
                answers(probe, "OOM", "SET", PROBE_KEY, "", "EX", "60"); // for its effect: Redis evicts, then rejects
                return Long.valueOf(0).equals(probe.command("DBSIZE"));
            });
            end.run();
        }
    }

    private static ServerFault configured(RedisProbe probe, String error, List<String> settings) {
        Runnable end = configure(probe, settings);
        awaitAnswer("refused writes", probe, error, "SET", PROBE_KEY, "", "EX", "60");
        return new ServerFault(probe, end);
    }

    /** Changes the configuration to these alternating names and values; the result restores the old values. */
    private static Runnable configure(RedisProbe probe, List<String> settings) {
        Runnable end = () -> {};
        for (int i = 0; i < settings.size(); i += 2) {
            String name = settings.get(i);
            String before = config(probe, name);
            Runnable others = end;
            end = () -> {
                probe.command("CONFIG", "SET", name, before);
                others.run();
            };
            probe.command("CONFIG", "SET", name, settings.get(i + 1));
        }
        return end;
    }

    private static boolean hasSetting(RedisProbe probe, String setting) {
        return probe.command("CONFIG", "GET", setting) instanceof List<?> pair && !pair.isEmpty();
    }

    private static String config(RedisProbe probe, String name) {
        if (probe.command("CONFIG", "GET", name) instanceof List<?> pair && pair.size() == 2) {
            return String.valueOf(pair.get(1));
        }
        throw new IllegalStateException("this Redis has no setting " + name);
    }

    private static void awaitAnswer(String what, RedisProbe probe, String begin, String... command) {
        Await.until(what, TIMEOUT, () -> answers(probe, begin, command));
    }

    private static boolean answers(RedisProbe probe, String begin, String... command) {
        try {
            return String.valueOf(probe.command(command)).startsWith(begin);
        } catch (RedisProbe.ErrorReply e) {
            return String.valueOf(e.getMessage()).startsWith(begin);
        } catch (UncheckedIOException e) {
            return false; // not yet
        }
    }

    private interface FileTask {
        void run() throws IOException;
    }

    private static void file(FileTask work) {
        try {
            work.run();
        } catch (IOException e) {
            throw new UncheckedIOException("cannot prepare the folder of a Redis", e);
        }
    }

    /** Ends the fault. May be called once. */
    @Override
    public void close() {
        try {
            end.run();
        } finally {
            probe.close();
        }
    }
}
