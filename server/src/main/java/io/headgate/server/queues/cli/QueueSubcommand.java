package io.headgate.server.queues.cli;

import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The base of every command of {@code headgate queue}. It checks the options, connects to Redis, runs the command, and returns its exit
 * code. Commands print text or JSON.
 */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong command line or not confirmed."})
abstract class QueueSubcommand implements Callable<Integer> {

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Mixin
    private OutputFormat format = new OutputFormat();

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public final Integer call() {
        try {
            check();
            try (RedisQueueEngine queues = redis.queues()) {
                return run(queues);
            }
        } catch (QueueException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            // A value out of its range.
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Checks the options and arguments.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    void check() {}

    /** Connects to the audit log in the same Redis. */
    RedisAuditLog auditLog() {
        return redis.auditLog();
    }

    /** Runs the command, and returns the exit code. */
    abstract int run(QueueEngine queues);

    /** Prints the text or the JSON, and returns the exit code 0. */
    int output(Map<String, Object> members, List<String> lines) {
        format.print(members, lines);
        return CommandLine.ExitCode.OK;
    }

    /** A command of {@code headgate queue} for this Redis, to copy and try. */
    String command(String words) {
        return redis.command("queue " + words);
    }

    /** Standard error, for messages that are not part of the output. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
