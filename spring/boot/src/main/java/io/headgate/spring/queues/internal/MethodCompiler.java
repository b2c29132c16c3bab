package io.headgate.spring.queues.internal;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.queues.Acknowledgement;
import io.headgate.spring.queues.BatchJob;
import io.headgate.spring.queues.DeadLetterAcknowledgement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.KotlinDetector;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Compiles the methods of listeners, and finds their problems. Not safe for use by several threads. */
final class MethodCompiler {

    private static final boolean REACTOR =
            ClassUtils.isPresent("reactor.core.publisher.Mono", MethodCompiler.class.getClassLoader());

    private final ArgumentCompiler arguments;
    private final Problems problems;

    MethodCompiler(ArgumentCompiler arguments, Problems problems) {
        this.arguments = arguments;
        this.problems = problems;
    }

    /** Compiles a method of a bean with this annotation; the result has placeholders if there are problems. */
    ListenerMethod method(String where, ListenerAnnotation given, Object bean, Class<?> type, Method method) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            problems.add(where, "is on a method that is private, static or final; remove the modifier");
        }
        if (KotlinDetector.isSuspendingFunction(method)) {
            problems.add(where, "is on a suspend function, which is not supported yet");
        }
        List<MethodParameter> parameters = new ArrayList<>();
        for (int i = 0; i < method.getParameterCount(); i++) {
            parameters.add(new MethodParameter(method, i).withContainingClass(type));
        }
        List<ListenerMethod.Argument> compiled =
                given.batch().isEmpty() ? each(where, given, parameters) : batch(where, parameters);
        boolean manual = parameters.stream()
                .anyMatch(parameter -> parameter.getParameterType() == Acknowledgement.class
                        || parameter.getParameterType() == DeadLetterAcknowledgement.class
                        || ArgumentCompiler.elementOf(parameter).resolve() == BatchJob.class);
        Method called = problems.checked(where, () -> invocable(bean, method), method);
        ReflectionUtils.makeAccessible(called);
        return new ListenerMethod(bean, called, compiled, manual, stages(where, method.getReturnType()));
    }

    /** The arguments of a method that is called for each job. */
    private List<ListenerMethod.Argument> each(
            String where, ListenerAnnotation given, List<MethodParameter> parameters) {
        long ofPayload = parameters.stream().filter(ArgumentCompiler::isPayload).count();
        if (ofPayload > 1) {
            problems.add(
                    where,
                    "is on a method with " + ofPayload
                            + " payloads; mark headers with @JobHeader. Other parameters are a Job, a JobId and an Acknowledgement");
        }
        List<Class<?>> types = new ArrayList<>();
        parameters.forEach(parameter -> types.add(parameter.getParameterType()));
        if (given.deadLetters() && types.contains(Acknowledgement.class)) {
            problems.add(
                    where, "is on a method with an Acknowledgement; a dead letter has a DeadLetterAcknowledgement");
        }
        if (!given.deadLetters()
                && (types.contains(DeadLetter.class) || types.contains(DeadLetterAcknowledgement.class))) {
            problems.add(where, "is on a method with a parameter of @DeadLetterListener");
        }
        if (parameters.stream().map(ArgumentCompiler::elementOf).anyMatch(MethodCompiler::isJob)) {
            problems.add(
                    where, "is on a method with a List of jobs; set batch to the maximum number of jobs of a call");
        }
        return parameters.stream()
                .map(parameter -> arguments.argument(parameter, problem -> add(where, parameter, problem)))
                .toList();
    }

    /** The argument of a method that is called for several jobs; it is an element of the list. */
    private List<ListenerMethod.Argument> batch(String where, List<MethodParameter> parameters) {
        if (parameters.size() != 1
                || parameters.get(0).getParameterType() != List.class
                || ArgumentCompiler.elementOf(parameters.get(0)).resolve() == null) {
            problems.add(
                    where, "has a batch, and so needs a method whose only parameter is a List, such as List<Order>");
            return List.of();
        }
        MethodParameter parameter = parameters.get(0);
        return List.of(arguments.element(parameter, problem -> add(where, parameter, problem)));
    }

    private void add(String where, MethodParameter parameter, String problem) {
        problems.add(where, "parameter " + parameter.getParameterIndex() + ": " + problem);
    }

    private static boolean isJob(ResolvableType element) {
        return element.resolve() == Job.class || element.resolve() == BatchJob.class;
    }

    private static Method invocable(Object bean, Method method) {
        try {
            return AopUtils.selectInvocableMethod(method, bean.getClass());
        } catch (IllegalStateException e) {
            throw new IllegalArgumentException(
                    "is on a method that the proxy of the bean does not have; declare it in an interface of the class, or set"
                            + " spring.aop.proxy-target-class to true",
                    e);
        }
    }

    private Optional<Function<Object, CompletionStage<?>>> stages(String where, Class<?> returned) {
        if (returned == void.class || returned == Void.class) {
            return Optional.empty();
        }
        if (CompletionStage.class.isAssignableFrom(returned)) {
            return Optional.of(result -> (CompletionStage<?>) result);
        }
        Optional<Function<Object, CompletionStage<?>>> reactive =
                REACTOR ? ReactiveStages.of(returned) : Optional.empty();
        if (reactive.isEmpty()) {
            problems.add(
                    where,
                    "is on a method that returns " + returned.getName()
                            + "; a listener returns void, a CompletionStage, or a type such as Mono");
        }
        return reactive;
    }
}
