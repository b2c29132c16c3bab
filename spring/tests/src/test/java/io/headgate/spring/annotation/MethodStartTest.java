package io.headgate.spring.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.config.ConfigException;
import io.headgate.spring.web.LimitExceededException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.NestedExceptionUtils;

/** Tests what the annotations of an application may have, and what fails its start. */
@ExtendWith(OutputCaptureExtension.class)
class MethodStartTest {

    abstract static class OtherStage implements CompletionStage<String> {}

    static class WrongPolicies {

        @RateLimited(policy = "al")
        void unknown() {}

        @InFlight(policy = "on")
        void unknownInFlight() {}

        @RateLimited(policy = "one")
        void inFlight() {}

        @InFlight(policy = "all")
        void rate() {}

        @RateLimited(policy = "${undefined}")
        void placeholder() {}

        @RateLimited(policy = "shaped")
        void delayed() {}

        @RateLimited(policy = "shaped", maxWait = "1s")
        void waiting() {}

        @InFlight(policy = "one-of-user")
        @RateLimited(policy = "user")
        void noDimensions(String user) {}

        @RateLimited(policy = "all", by = "user: #user")
        void otherDimension(String user) {}

        @NotLimited
        @RateLimited(policy = "all")
        void contradiction() {}

        @RateLimited(policy = "all")
        @Nullable
        OtherStage otherStage() {
            return null;
        }
    }

    static class WrongMembers {

        @RateLimited(policy = "all", by = "#user")
        void noColon(String user) {}

        @RateLimited(policy = "user", by = {"user: #user", "user: 'any'"})
        void twice(String user) {}

        @RateLimited(policy = "user", by = "user: #usr")
        void unknownParameter(String user) {}

        @RateLimited(policy = "user", by = "user: user")
        void unmarkedParameter(String user) {}

        @RateLimited(policy = "user", by = "user: #user +")
        void malformed(String user) {}

        @RateLimited(policy = "user", by = "user: @users.of(#user)")
        void unknownBean(String user) {}

        @RateLimited(policy = "all", permits = "#many")
        void permits() {}

        @RateLimited(policy = "all", permits = "3")
        void tooMany() {}

        @InFlight(policy = "one", permits = "2")
        void tooManyInFlight() {}

        @RateLimited(policy = "all", maxWait = "2")
        void noUnit() {}

        @RateLimited(policy = "all", maxWait = "367d")
        void tooLong() {}

        @RateLimited(policy = "all", maxWaiting = 0)
        void noneWaits() {}

        @RateLimited(policy = "all", fallbackMethod = "none")
        void noFallback() {}

        @RateLimited(policy = "all", fallbackMethod = "ofText")
        void otherParameters(int number) {}

        @InFlight(policy = "one", fallbackMethod = "ofRate")
        void otherException(String text) {}

        @RateLimited(policy = "all", fallbackMethod = "number")
        String otherResult() {
            return "";
        }

        void ofText(String text) {}

        void ofRate(String text, LimitExceededException e) {}

        int number() {
            return 1;
        }
    }

    @Test
    void policies_and_their_dimensions_are_checked() {
        fails(
                WrongPolicies.class,
                """
                unknown(): @RateLimited.policy: is al, but there is no such policy; there are [user, all, shaped]
                unknownInFlight(): @InFlight.policy: is on, but there is no such policy; there are [one, one-of-user]
                inFlight(): @RateLimited.policy: is one, which has in-flight limits; @RateLimited needs rate limits
                rate(): @InFlight.policy: is all, which has rate limits; @InFlight needs in-flight limits
                placeholder(): @RateLimited.policy: is ${undefined}, but there is no such policy
                delayed(): @RateLimited.policy: is shaped, whose rule limit delays requests
                noDimensions(String): @InFlight.by: needs a value of user, by which policy one-of-user counts
                noDimensions(String): @RateLimited.by: needs a value of user, by which policy user counts
                otherDimension(String): @RateLimited.by.user: is no dimension of policy all, which counts all requests together; remove the dimension
                contradiction(): @NotLimited: the method has other annotations of limits
                otherStage(): @RateLimited: needs a method that returns a CompletionStage or CompletableFuture, and not a OtherStage
                """);
    }

    @Test
    void members_are_checked() {
        fails(
                WrongMembers.class,
                """
                noColon(String): @RateLimited.by: must have the form dimension: expression, but was #user
                twice(String): @RateLimited.by.user: occurs twice
                unknownParameter(String): @RateLimited.by.user: uses #usr, which the call does not have; it has [#user, #a0], [methodName, target], and beans as @name
                unmarkedParameter(String): @RateLimited.by.user: uses user, which the call does not have
                malformed(String): @RateLimited.by.user: is not an expression
                unknownBean(String): @RateLimited.by.user: uses @users, but there is no bean of that name
                permits(): @RateLimited.permits: uses #many, which the call does not have
                tooMany(): @RateLimited.permits: must be at most 2, but was 3; rule limit of policy all has this limit, and would deny all requests
                tooManyInFlight(): @InFlight.permits: must be at most 1, but was 2; rule limit of policy one has this limit, and would deny all requests
                noUnit(): @RateLimited.maxWait: must be a duration with its unit, such as 2s, but was 2
                tooLong(): @RateLimited.maxWait: must be from 0s to 366d, but was 367d
                noneWaits(): @RateLimited.maxWaiting: must be at least 1, but was 0
                noFallback(): @RateLimited.fallbackMethod: is none, but
                otherParameters(int): @RateLimited.fallbackMethod: is ofText, but
                otherException(String): @InFlight.fallbackMethod: is ofRate, but
                otherResult(): @RateLimited.fallbackMethod: is number, which must return a String, but returns a int
                """);
    }

    @Test
    void at_most_20_problems_are_listed() {
        Limits.APPLICATION
                .withBean(WrongPolicies.class)
                .withBean(WrongMembers.class)
                .run(context -> assertThat(problems(context.getStartupFailure())).hasSize(20));
    }

    private static void fails(Class<?> bean, String expected) {
        Limits.APPLICATION.withBean(bean).run(context -> {
            List<String> problems = problems(context.getStartupFailure());
            List<String> lines = expected.lines().toList();
            for (String line : lines) {
                assertThat(problems).anySatisfy(problem -> assertThat(problem).startsWith(bean.getName() + "." + line));
            }
            assertThat(problems).hasSameSizeAs(lines);
        });
    }

    private static List<String> problems(@Nullable Throwable failure) {
        Throwable cause = NestedExceptionUtils.getMostSpecificCause(Objects.requireNonNull(failure));
        assertThat(cause).isInstanceOf(ConfigException.class);
        return ((ConfigException) cause).problems();
    }

    @Test
    void warnings_name_annotations_without_effect(CapturedOutput output) {
        Limits.APPLICATION.withBean(NoEffect.class).withBean(Final.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output.getAll())
                    .contains("NoEffect.hidden() have no effect, because it is private")
                    .contains("NoEffect.ofClass() have no effect, because it is static")
                    .contains("NoEffect.last() have no effect, because it is final")
                    .contains("Final.limited() have no effect, because its class is final")
                    .doesNotContain("NoEffect.limited()");
        });
    }

    static class NoEffect {

        @RateLimited(policy = "all")
        @SuppressWarnings("UnusedMethod")
        private void hidden() {}

        @RateLimited(policy = "all")
        static void ofClass() {}

        @RateLimited(policy = "all")
        final void last() {}

        @RateLimited(policy = "all")
        void limited() {}
    }

    static final class Final {

        @RateLimited(policy = "all")
        void limited() {}
    }
}
