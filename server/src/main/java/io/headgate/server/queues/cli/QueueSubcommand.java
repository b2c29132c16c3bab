package io.headgate.server.queues.cli;

import io.headgate.queues.Queue;
import io.headgate.queues.QueueException;
import io.headgate.queues.Queues;
import io.headgate.redis.queues.RedisQueues;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.queues.OperatedQueues;
import io.headgate.server.redis.RedisOptions;
import io.headgate.server.text.Json;
import io.headgate.server.text.Quoted;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
        footer = {"", "Exit codes: 0 done, 1 it could not be done, 2 wrong command line or not confirmed."})
abstract class QueueSubcommand implements Callable<Integer> {

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Option(names = "--json", description = "Print JSON, in one line.")
    private boolean json;

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli
    private CommandSpec spec;

    @Override
    public final Integer call() {
        try {
            check();
            try (RedisQueues queues = redis.queues()) {
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
    abstract void check();

    /** Does what was asked, and answers the exit code. */
    abstract int run(Queues queues);

    /**
     * A queue that is there.
     *
     * @throws StartException when it is not
     */
    static Queue<byte[]> existing(Queues queues, String name) {
        Queue<byte[]> queue = OperatedQueues.named(queues, name);
        if (OperatedQueues.isEmpty(queue.counts()) && !queues.names().contains(name)) {
            throw StartException.failed(
                    "no queue is named " + Quoted.of(name) + " at this key prefix; headgate queue ls lists them");
        }
        return queue;
    }

    /** Prints one of the two, as was asked. */
    int answer(Map<String, Object> members, List<String> lines) {
        PrintWriter out = spec.commandLine().getOut();
        if (json) {
            out.print(new String(Json.line(members), StandardCharsets.UTF_8));
        } else {
            lines.forEach(out::println);
        }
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    /** Where to say what is not the answer. */
    PrintWriter err() {
        return spec.commandLine().getErr();
    }

    ParameterException wrong(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
