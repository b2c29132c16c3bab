package io.headgate.server.top;

import io.headgate.limits.hotkeys.TopKeys;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Selects the hot keys that a request or command shows. */
final class TopList {

    private TopList() {}

    /** The first {@code most} keys of each list, of all policies or of one; empty if there are none. */
    static CompletionStage<List<TopKeys>> of(TopSource source, Optional<String> policy, int most) {
        CompletionStage<List<TopKeys>> found = policy.isEmpty()
                ? source.all()
                : source.of(policy.get()).thenApply(top -> top.requested().total() == 0 ? List.of() : List.of(top));
        return found.thenApply(all -> all.stream().map(top -> top.first(most)).toList());
    }
}
