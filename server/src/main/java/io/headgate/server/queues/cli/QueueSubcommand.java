package io.headgate.server.queues.cli;

import io.headgate.queues.QueueEngine;
import io.headgate.queues.QueueException;
import io.headgate.redis.queues.RedisQueueEngine;
import io.headgate.server.cli.Answer;
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
 * What every command of {@code headgate queue} has: which Redis, text or JSON, and an exit code. What is given is checked
 * before Redis is asked anything.
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
    private Answer answer = new Answer();

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
            // What is given beyond a bound.
            throw wrong(String.valueOf(e.getMessage()));
        }
    }

    /**
     * Looks at what was given.
     *
     * @throws IllegalArgumentException when it is not as it must be
     */
    void check() {}

    /** Does what was asked, and answers the exit code. */
    abstract int run(QueueEngine queues);

    /** Prints one of the two, as was asked. */
    int answer(Map<String, Object> members, List<String> lines) {
        answer.print(members, lines);
        return CommandLine.ExitCode.OK;
    }

    /** Such a command for this Redis, to copy and try. */
    String command(String words) {
        return redis.command("queue " + words);
    }

    /** Where to say what is not the answer. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
