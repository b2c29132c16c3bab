package io.headgate.spring.internal;

import io.headgate.http.attributes.RequestView;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** What a native image needs of Headgate beyond the code that is reachable: the scripts, and what expressions call by reflection. */
final class HeadgateRuntimeHints implements RuntimeHintsRegistrar {

    private static final List<String> SCRIPTS =
            List.of("audit", "bans", "config", "inflight", "limits", "pauses", "queues", "streams");

    /** The requests of both kinds of web applications. By name, as each needs classes that the other does not have. */
    private static final List<String> REQUESTS = List.of(
            "io.headgate.spring.web.servlet.ServletWebRequest", "io.headgate.spring.web.reactive.ExchangeRequest");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        SCRIPTS.forEach(folder -> hints.resources().registerPattern("io/headgate/redis/" + folder + "/*.lua"));
        hints.reflection().registerType(RequestView.class, MemberCategory.INVOKE_PUBLIC_METHODS);
        REQUESTS.forEach(name ->
                hints.reflection().registerTypeIfPresent(classLoader, name, MemberCategory.INVOKE_PUBLIC_METHODS));
    }
}
