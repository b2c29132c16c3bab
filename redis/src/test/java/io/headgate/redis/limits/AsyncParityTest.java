package io.headgate.redis.limits;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limits.AsyncInFlightLimiter;
import io.headgate.limits.AsyncLimiter;
import io.headgate.limits.InFlightLimiter;
import io.headgate.limits.InFlightPolicy;
import io.headgate.limits.Limiter;
import io.headgate.limits.Policy;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AsyncParityTest {

    private static final Map<Class<?>, Class<?>> BOXED = Map.of(boolean.class, Boolean.class, long.class, Long.class);

    /** All methods that may call Redis. */
    static Stream<Method> calls() {
        List<Class<?>> local =
                List.of(AsyncLimiter.class, Policy.class, AsyncInFlightLimiter.class, InFlightPolicy.class, void.class);
        return Stream.of(Limiter.class, InFlightLimiter.class)
                .flatMap(limiter -> Arrays.stream(limiter.getMethods()))
                .filter(call -> !local.contains(call.getReturnType()));
    }

    @ParameterizedTest
    @MethodSource("calls")
    void every_blocking_method_of_a_limiter_has_an_async_counterpart(Method call) throws NoSuchMethodException {
        Class<?> twin = call.getDeclaringClass() == Limiter.class ? AsyncLimiter.class : AsyncInFlightLimiter.class;
        Method async = twin.getMethod(call.getName(), call.getParameterTypes());
        assertThat(((ParameterizedType) async.getGenericReturnType()).getActualTypeArguments())
                .containsExactly(BOXED.getOrDefault(call.getReturnType(), call.getReturnType()));
    }
}
