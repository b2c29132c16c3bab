package io.headgate.spring.queues.internal;

import io.headgate.queues.DeadLetter;
import io.headgate.queues.Job;
import io.headgate.queues.JobId;
import io.headgate.spring.queues.Acknowledgement;
import io.headgate.spring.queues.BatchJob;
import io.headgate.spring.queues.DeadLetterAcknowledgement;
import io.headgate.spring.queues.InvalidPayloadException;
import io.headgate.spring.queues.JobHeader;
import io.headgate.spring.queues.internal.ListenerMethod.Argument;
import io.headgate.spring.queues.internal.batch.BatchedJob;
import io.headgate.spring.queues.internal.payloads.PayloadCheck;
import io.headgate.spring.queues.internal.payloads.Payloads;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Type;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.core.ResolvableType;
import org.springframework.core.convert.ConversionService;

/** Compiles the parameters of listeners, and finds their problems. */
final class ArgumentCompiler {

    private static final String VALID = "jakarta.validation.Valid";

    private final Payloads payloads;
    private final Optional<PayloadCheck> check;
    private final ConversionService conversions;

    /**
     * Creates a compiler.
     *
     * @param check checks payloads; empty if validation is not on the class path
     * @param conversions converts headers
     */
    ArgumentCompiler(Payloads payloads, Optional<PayloadCheck> check, ConversionService conversions) {
        this.payloads = payloads;
        this.check = check;
        this.conversions = conversions;
    }

    /** Whether the parameter is the payload: it is nothing else. */
    static boolean isPayload(MethodParameter parameter) {
        Class<?> type = parameter.getParameterType();
        return !parameter.hasParameterAnnotation(JobHeader.class)
                && type != Job.class
                && type != JobId.class
                && type != DeadLetter.class
                && type != Acknowledgement.class
                && type != DeadLetterAcknowledgement.class;
    }

    /** Returns the type of the elements of a list, which has no class if the parameter is none. */
    static ResolvableType elementOf(MethodParameter parameter) {
        return parameter.getParameterType() == List.class
                ? ResolvableType.forMethodParameter(parameter).getGeneric(0)
                : ResolvableType.NONE;
    }

    /**
     * Compiles a parameter.
     *
     * @param problems receives the problems of the parameter
     */
    Argument argument(MethodParameter parameter, Consumer<String> problems) {
        Class<?> type = parameter.getParameterType();
        JobHeader header = parameter.getParameterAnnotation(JobHeader.class);
        if (header != null) {
            return header(header, parameter, problems);
        }
        if (type == JobId.class) {
            return Job::id;
        }
        if (type == Acknowledgement.class || type == DeadLetterAcknowledgement.class) {
            return Job::payload;
        }
        boolean valid = isValid(parameter.getParameterAnnotations());
        if (type == Job.class || type == DeadLetter.class) {
            ResolvableType payload =
                    ResolvableType.forMethodParameter(parameter).getGeneric(0);
            Function<Job<Delivery>, Object> reader = payload(
                    payload.resolve() == null ? byte[].class : payload.getType(),
                    valid || hasValidArgument(parameter.getParameter().getAnnotatedType()),
                    problems);
            return type == Job.class
                    ? job -> Delivery.withPayload(job, reader.apply(job))
                    : job -> new DeadLetter<>(
                            Delivery.withPayload(job, reader.apply(job)),
                            job.payload().diedAt().orElseThrow());
        }
        return payload(ResolvableType.forMethodParameter(parameter).getType(), valid, problems)::apply;
    }

    private static boolean isValid(Annotation... annotations) {
        return Arrays.stream(annotations)
                .anyMatch(annotation -> annotation.annotationType().getName().equals(VALID));
    }

    /** Whether an argument of the type has the annotation, as in {@code List<@Valid Order>} and {@code List<Job<@Valid Order>>}. */
    private static boolean hasValidArgument(AnnotatedType type) {
        return type instanceof AnnotatedParameterizedType generic
                && Arrays.stream(generic.getAnnotatedActualTypeArguments())
                        .anyMatch(argument -> isValid(argument.getAnnotations()) || hasValidArgument(argument));
    }

    /**
     * Compiles the elements of a list, each of which is a payload, a {@link Job} or a {@link BatchJob}.
     *
     * @param problems receives the problems of the parameter
     */
    Argument element(MethodParameter parameter, Consumer<String> problems) {
        ResolvableType element = elementOf(parameter);
        Class<?> type = element.resolve();
        boolean valid = isValid(parameter.getParameterAnnotations())
                || hasValidArgument(parameter.getParameter().getAnnotatedType());
        if (type != Job.class && type != BatchJob.class) {
            return payload(element.getType(), valid, problems)::apply;
        }
        ResolvableType payload = element.getGeneric(0);
        Function<Job<Delivery>, Object> reader =
                payload(payload.resolve() == null ? byte[].class : payload.getType(), valid, problems);
        return type == Job.class
                ? job -> Delivery.withPayload(job, reader.apply(job))
                : job -> new BatchedJob<>(Delivery.withPayload(job, reader.apply(job)), job.payload());
    }

    private Function<Job<Delivery>, Object> payload(Type type, boolean valid, Consumer<String> problems) {
        Function<byte[], Object> reader;
        try {
            reader = payloads.reader(type);
        } catch (IllegalArgumentException e) {
            problems.accept(String.valueOf(e.getMessage()));
            return job -> job;
        }
        Optional<PayloadCheck> validator = valid ? check.filter(PayloadCheck::isAvailable) : Optional.empty();
        if (valid && validator.isEmpty()) {
            problems.accept(
                    "@Valid needs a Validator, for example of spring-boot-starter-validation; there is no such bean");
        }
        return job -> {
            Object payload = reader.apply(job.payload().bytes());
            job.payload().converted(payload);
            validator.ifPresent(found -> found.check(payload));
            return payload;
        };
    }

    private Argument header(JobHeader header, MethodParameter parameter, Consumer<String> problems) {
        boolean optional = parameter.getParameterType() == Optional.class;
        Class<?> type = optional
                ? ResolvableType.forMethodParameter(parameter).getGeneric(0).resolve(Object.class)
                : parameter.getParameterType();
        boolean required = header.required() && !optional;
        if (header.value().isEmpty()) {
            problems.accept("@JobHeader needs the name of a header");
        }
        if (!conversions.canConvert(String.class, type)) {
            problems.accept("a header cannot be converted to " + type.getName());
        }
        if (!required && type.isPrimitive()) {
            problems.accept("a header that is not required cannot be of the type " + type + ", as it may be null");
        }
        return job -> {
            String text = job.headers().get(header.value());
            if (text == null && required) {
                throw new InvalidPayloadException("the job has no header " + header.value());
            }
            Object value = text == null ? null : converted(header.value(), text, type);
            return optional ? Optional.ofNullable(value) : value;
        };
    }

    private @Nullable Object converted(String name, String text, Class<?> type) {
        try {
            return conversions.convert(text, type);
        } catch (RuntimeException e) {
            throw new InvalidPayloadException("the header " + name + " is no " + type.getSimpleName(), e);
        }
    }
}
