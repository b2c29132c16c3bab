package io.headgate.spring.internal.expression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.AbstractList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionException;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;

/** Tests expressions that throw errors. */
class ExpressionTest {

    private static final Expression FIRST = new ExpressionParser(
                    new DefaultListableBeanFactory(), UnaryOperator.identity())
            .parse("values[0]", new ExpressionScope("the test", List.of("values"), Set.of(), Map.of()));

    /** An object whose values throw an error. */
    public record Root(Error error) {

        public List<Object> getValues() {
            return new AbstractList<>() {
                @Override
                public Object get(int index) {
                    throw error;
                }

                @Override
                public int size() {
                    return 1;
                }
            };
        }
    }

    static Stream<Error> errors() {
        return Stream.of(
                new StackOverflowError("as the test wants"),
                new NoClassDefFoundError("as the test wants"),
                new LinkageError("as the test wants"),
                new AssertionError("as the test wants"));
    }

    @ParameterizedTest
    @MethodSource("errors")
    void an_error_is_a_failure_of_the_expression(Error error) {
        assertThatThrownBy(() -> FIRST.evaluate(new Root(error)).join())
                .isInstanceOf(CompletionException.class)
                .hasCause(error);
        assertThatThrownBy(() -> FIRST.evaluate(new Root(error), null, name -> null).join())
                .isInstanceOf(CompletionException.class)
                .hasCause(error);
        assertThatThrownBy(() -> FIRST.test(new Root(error)))
                .isInstanceOf(IllegalStateException.class)
                .hasCause(error);
    }

    @Test
    void an_error_of_the_virtual_machine_is_thrown() {
        Error error = new InternalError("as the test wants");
        assertThatThrownBy(() -> FIRST.evaluate(new Root(error))).isSameAs(error);
        assertThatThrownBy(() -> FIRST.test(new Root(error))).isSameAs(error);
    }

    @Test
    void an_error_of_the_conversion_is_a_failure_of_the_expression() {
        Expression one = new ExpressionParser(new DefaultListableBeanFactory(), UnaryOperator.identity())
                .parse("1", new ExpressionScope("the test", List.of(), Set.of(), Map.of()));
        UnaryOperator<Object> failing = value -> {
            throw new NoClassDefFoundError("as the test wants");
        };
        assertThat(one.evaluate(new Object(), failing)).isCompletedExceptionally();
    }
}
