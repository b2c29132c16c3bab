package io.headgate.spring.queues.internal;

import io.headgate.config.ConfigException;
import io.headgate.spring.internal.Problems;
import io.headgate.spring.queues.internal.deadletters.DeadLetterSource;
import java.lang.System.Logger.Level;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedObject;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.util.ClassUtils;

/** Finds the annotated methods of all beans. */
final class ListenerDiscovery {

    private static final System.Logger LOG = System.getLogger(ListenerDiscovery.class.getName());

    private final ConfigurableListableBeanFactory beans;
    private final QueueDefinitions definitions;
    private final ArgumentCompiler arguments;

    ListenerDiscovery(ConfigurableListableBeanFactory beans, QueueDefinitions definitions, ArgumentCompiler arguments) {
        this.beans = beans;
        this.definitions = definitions;
        this.arguments = arguments;
    }

    /**
     * Returns the listeners of all beans.
     *
     * @throws ConfigException if their configuration is wrong
     */
    List<ListenerSpec> listeners() {
        Problems problems = new Problems();
        ListenerCompiler compiler = new ListenerCompiler(definitions, arguments, this::resolve, problems);
        List<ListenerSpec> listeners = new ArrayList<>();
        for (String name : beans.getBeanNamesForType(Object.class)) {
            Class<?> type = type(name);
            if (type != null && !type.getName().startsWith("org.springframework.")) {
                listeners.addAll(listeners(name, ClassUtils.getUserClass(type), compiler, problems));
            }
        }
        requireUniqueIds(listeners, problems);
        requireOneOfDeadLetters(listeners, problems);
        requireUnambiguousNames(listeners, problems);
        problems.failIfAny();
        return listeners;
    }

    private @Nullable Class<?> type(String bean) {
        try {
            Class<?> type = AutoProxyUtils.determineTargetClass(beans, bean);
            // The object in the scope is a bean of its own.
            return type == null || ScopedObject.class.isAssignableFrom(type) ? null : type;
        } catch (RuntimeException | LinkageError e) {
            LOG.log(Level.DEBUG, "The class of the bean " + bean + " is unknown", e);
            return null;
        }
    }

    private List<ListenerSpec> listeners(String name, Class<?> type, ListenerCompiler compiler, Problems problems) {
        Map<Method, List<ListenerAnnotation>> methods = MethodIntrospector.selectMethods(type, (Method method) -> {
            List<ListenerAnnotation> annotations = ListenerAnnotation.of(method);
            return annotations.isEmpty() ? null : annotations;
        });
        if (methods.isEmpty()) {
            return List.of();
        }
        if (!beans.isSingleton(name)) {
            problems.add(type.getName(), "has listeners, but the bean " + name + " is no singleton; remove its scope");
            return List.of();
        }
        Object bean = beans.getBean(name);
        List<ListenerSpec> listeners = new ArrayList<>();
        methods.forEach((method, annotations) -> annotations.forEach(
                annotation -> listeners.add(compiler.compile(annotation, name, bean, type, method))));
        return listeners;
    }

    private static void requireUniqueIds(List<ListenerSpec> listeners, Problems problems) {
        Map<String, ListenerSpec> byId = new HashMap<>();
        for (ListenerSpec listener : listeners) {
            ListenerSpec other = byId.putIfAbsent(listener.id(), listener);
            if (other != null) {
                problems.add(
                        listener.where() + ".id",
                        "is " + listener.id() + ", as that of " + other.where()
                                + "; give each listener an id of its own");
            }
        }
    }

    private static void requireOneOfDeadLetters(List<ListenerSpec> listeners, Problems problems) {
        Map<String, ListenerSpec> byQueue = new HashMap<>();
        listeners.stream().filter(ListenerSpec::deadLetters).forEach(listener -> {
            ListenerSpec other = byQueue.putIfAbsent(listener.destination(), listener);
            if (other != null) {
                problems.add(
                        listener.where(),
                        "receives the same dead letters as " + other.where() + ", but only one of them would get each");
            }
        });
    }

    private static void requireUnambiguousNames(List<ListenerSpec> listeners, Problems problems) {
        listeners.stream()
                .filter(ListenerSpec::deadLetters)
                .filter(listener -> DeadLetterSource.isAmbiguous(listener.source(), listener.group()))
                .forEach(listener -> problems.add(
                        listener.where(),
                        "must not have two consecutive dots in the name of its queue, stream or group, nor a stream whose name"
                                + " ends with a dot: the queue of notifications would be that of other dead letters"));
    }

    private String resolve(String text) {
        String resolved = beans.resolveEmbeddedValue(text);
        return resolved == null ? "" : resolved;
    }
}
