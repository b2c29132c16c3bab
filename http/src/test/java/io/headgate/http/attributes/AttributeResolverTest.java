package io.headgate.http.attributes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.http.attributes.ResolvedValue.Absent;
import io.headgate.http.attributes.ResolvedValue.Present;
import io.headgate.http.attributes.ResolvedValue.Reason;
import io.headgate.limits.Attributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class AttributeResolverTest {

    private static final AttributeResolver RESOLVER = AttributeResolver.builder()
            .attribute("user", ValueResolver.header("X-User"))
            .attribute("endpoint", ValueResolver.path())
            .build();

    @Test
    void attributes_without_a_value_are_absent_with_a_reason() {
        ResolvedAttributes resolved = RESOLVER.resolve(FakeRequest.get("/a"));

        assertThat(resolved.attributes()).isEqualTo(Attributes.of("endpoint", "/a"));
        assertThat(resolved.absent())
                .isEqualTo(Map.of("user", new Absent(Reason.MISSING, "header field X-User is missing")));
        assertThat(resolved.hasAll(List.of("endpoint"))).isTrue();
        assertThat(resolved.hasAll(List.of("endpoint", "user"))).isFalse();
        assertThat(resolved.hasAll(List.of("unknown"))).isFalse();
        assertThat(resolved.hasAll(List.of())).isTrue();
    }

    @Test
    void the_stage_of_a_synchronous_resolver_is_already_complete() {
        FakeRequest request = FakeRequest.get("/a").withField("X-User", "alice");

        assertThat(RESOLVER.isSynchronous()).isTrue();
        assertThat(RESOLVER.names()).containsExactly("user", "endpoint");
        assertThat(RESOLVER.resolveAsync(request).toCompletableFuture())
                .isCompletedWithValue(RESOLVER.resolve(request));
    }

    @Test
    void asynchronous_attributes_are_looked_up_concurrently() {
        CompletableFuture<ResolvedValue> tenant = new CompletableFuture<>();
        CompletableFuture<ResolvedValue> plan = new CompletableFuture<>();
        List<String> lookups = new ArrayList<>();
        AttributeResolver resolver = AttributeResolver.builder()
                .asyncAttribute("tenant", request -> {
                    lookups.add("tenant");
                    return tenant;
                })
                .attribute("endpoint", ValueResolver.path())
                .asyncAttribute("plan", request -> {
                    lookups.add("plan");
                    return plan;
                })
                .build();

        CompletableFuture<ResolvedAttributes> resolved =
                resolver.resolveAsync(FakeRequest.get("/a")).toCompletableFuture();

        assertThat(resolver.isSynchronous()).isFalse();
        assertThat(lookups).containsExactly("tenant", "plan");
        plan.complete(ResolvedValue.missing("plan of the tenant"));
        assertThat(resolved).isNotDone();
        tenant.complete(new Present("acme"));
        assertThat(resolved)
                .isCompletedWithValue(new ResolvedAttributes(
                        Attributes.of(Map.of("endpoint", "/a", "tenant", "acme")),
                        Map.of("plan", new Absent(Reason.MISSING, "plan of the tenant is missing"))));
    }

    @Test
    void a_lookup_that_fails_or_throws_fails_the_stage() {
        IllegalStateException down = new IllegalStateException("directory is down");
        AttributeResolver failing = AttributeResolver.builder()
                .asyncAttribute("tenant", request -> CompletableFuture.failedFuture(down))
                .build();
        AttributeResolver throwing = AttributeResolver.builder()
                .asyncAttribute("tenant", request -> {
                    throw down;
                })
                .build();

        assertThatThrownBy(failing.resolveAsync(FakeRequest.get("/")).toCompletableFuture()::join)
                .hasCause(down);
        assertThatThrownBy(throwing.resolveAsync(FakeRequest.get("/")).toCompletableFuture()::join)
                .hasCause(down);
    }

    @Test
    void an_asynchronous_resolver_cannot_be_called_synchronously() {
        AttributeResolver resolver = AttributeResolver.builder()
                .asyncAttribute("tenant", request -> CompletableFuture.completedFuture(new Present("acme")))
                .build();

        assertThatIllegalStateException()
                .isThrownBy(() -> resolver.resolve(FakeRequest.get("/")))
                .withMessage("attributes [tenant] are resolved asynchronously; call resolveAsync instead of resolve");
    }

    @Test
    void names_and_their_number_are_checked_when_they_are_added() {
        AttributeResolver.Builder builder = AttributeResolver.builder().attribute("user", ValueResolver.absent());

        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.attribute("a b", ValueResolver.absent()))
                .withMessageContaining("name of an attribute must be 1 to 64 of A-Z a-z 0-9 . _ -");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.attribute("user", ValueResolver.absent()))
                .withMessage("attribute user has a resolver already; give it one");
        for (int i = 1; i < 32; i++) {
            builder.attribute("a" + i, ValueResolver.absent());
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> builder.attribute("one-more", ValueResolver.absent()))
                .withMessage("number of attributes must be at most 32");
    }
}
