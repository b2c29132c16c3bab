package io.headgate.server.top;

import io.headgate.limits.LimiterException;
import io.headgate.limits.hotkeys.TopKeys;
import io.headgate.redis.limits.RedisLimitEngine;
import io.headgate.server.cli.NumberOption;
import io.headgate.server.cli.OutputFormat;
import io.headgate.server.cli.StartException;
import io.headgate.server.cli.Version;
import io.headgate.server.redis.RedisOptions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code headgate top}: the keys with the most decisions and the most denials. */
@Command(
        name = "top",
        description =
                "Shows the keys of each policy with the most decisions and the most denials, in this minute and the one before, over all servers and applications that count them in a Redis.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        footer = {
            "",
            "Unless decisions are sampled, a count is never too low, and too high by at most the error.",
            "Exit codes: 0 done, 1 failed, 2 wrong command line."
        })
public final class TopCommand implements Callable<Integer> {

    @Mixin
    private RedisOptions redis = new RedisOptions();

    @Option(names = "--policy", paramLabel = "NAME", description = "Only this policy.")
    private Optional<String> policy = Optional.empty();

    @Option(
            names = "--max",
            paramLabel = "N",
            defaultValue = "10",
            converter = NumberOption.OfKeys.class,
            description = "Keys of each list, from 1 to 256; ${DEFAULT-VALUE} by default.")
    private int most;

    @Mixin
    private OutputFormat output = new OutputFormat();

    @Override
    public Integer call() {
        try (RedisLimitEngine limits = redis.limits()) {
            List<TopKeys> found = await(TopList.of(TopSource.of(limits.hotKeys()), policy, most));
            output.print(TopJson.members(found), TopText.lines(found));
            return CommandLine.ExitCode.OK;
        } catch (LimiterException e) {
            throw StartException.failed(String.valueOf(e.getMessage()));
        }
    }

    /** Waits without a timeout, because each call has one. */
    private static <T> T await(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof LimiterException failure) {
                throw failure;
            }
            throw e;
        }
    }
}
