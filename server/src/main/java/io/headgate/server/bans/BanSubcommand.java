package io.headgate.server.bans;

import io.headgate.limits.LimitEngine;
import io.headgate.limits.LimiterException;
import io.headgate.redis.audit.RedisAuditLog;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The base of every command of {@code headgate ban}: it checks the options, connects to Redis, and runs the command. */
@Command(
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {"", "Exit codes: 0 done, 1 failed, 2 wrong command line."})
abstract class BanSubcommand implements Callable<Integer> {

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
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), String.valueOf(e.getMessage()));
        }
        try (RedisLimitEngine limits = isOfRule() ? redis.limitsWithoutBans() : redis.limits()) {
            if (!isOfRule()) {
                limits.readBans();
            }
            return run(limits);
        } catch (LimiterException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        } catch (IllegalArgumentException e) {
            // The bans have reached a bound, or the target has an entry of another kind.
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Checks the options and arguments before anything is read.
     *
     * @throws IllegalArgumentException if one is invalid
     */
    void check() {}

    /** Whether the command is about bans by a rule, which those of operators must not hide. */
    boolean isOfRule() {
        return false;
    }

    /** Connects to the audit log in the same Redis. */
    RedisAuditLog auditLog() {
        return redis.auditLog();
    }

    /** Runs the command, and returns the exit code. */
    abstract int run(LimitEngine limits);

    /** Prints the text or the JSON, and returns the exit code 0. */
    int output(Map<String, Object> members, List<String> lines) {
        format.print(members, lines);
        return CommandLine.ExitCode.OK;
    }

    /** A command of {@code headgate ban} for this Redis, to copy and try. */
    String command(String words) {
        return redis.command("ban " + words);
    }

    CommandLine line() {
        return spec.commandLine();
    }
}
