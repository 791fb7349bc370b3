package jupyter.colophon;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashSet;
import java.util.IdentityHashMap;
import org.apache.spark.sql.catalyst.TableIdentifier;
import org.apache.spark.sql.catalyst.catalog.CatalogTable;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.ExprId;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.VariableReference;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.trees.TreeNode;
import org.apache.spark.sql.types.DataType;
import scala.Option;
import scala.Product;
import scala.collection.Iterator;
import scala.collection.Seq;

/**
 * Writes Spark's plans as JSON for `tree.py`, at a tenth of the cost of `TreeNode.toJSON`, which looks at each node by reflection.
 *
 * A tree is the list of its nodes in preorder, each with the number of its children; a field that holds other trees has such a list,
 * or a list of them. Of plain fields only those are written that `plan_nodes.py` declares, which say where data is or which column is
 * which: no value of a query.
 * Compiled by Spark's own compiler in the session that it reads (`reading.py`), so it keeps to the Java that Janino knows.
 */
public final class PlanWriter {
    private HashSet sent = new HashSet();
    private final StringBuilder out = new StringBuilder();
    private final IdentityHashMap types = new IdentityHashMap();
    private int nodes;
    private int widest;
    private int parts;

    /** The plain fields to write, with commas between them. */
    public void send(String fields) {
        sent = new HashSet(Arrays.asList((Object[]) fields.split(",")));
    }

    /** A plan with all that it holds; null where it has more nodes, a longer list in a node, or more nodes and expressions than this. */
    public String whole(LogicalPlan plan, int mostNodes, int mostColumns, int mostParts) {
        PlanWriter writer = fresh();
        writer.nodes = mostNodes;
        writer.widest = mostColumns;
        writer.parts = mostParts;
        try {
            writer.tree(plan);
        } catch (TooLarge enough) {
            return null;
        }
        return writer.out.toString();
    }

    /** A plan's root and what is right below, without the trees in their fields. */
    public String top(LogicalPlan plan) {
        PlanWriter writer = fresh();
        writer.out.append('[');
        writer.head(plan, plan.children().length());
        for (Iterator each = plan.children().iterator(); each.hasNext();) {
            writer.out.append(',');
            writer.head((TreeNode) each.next(), 0);
        }
        return writer.out.append(']').toString();
    }

    private PlanWriter fresh() {
        PlanWriter writer = new PlanWriter();
        writer.sent = sent;
        return writer;
    }

    private void tree(TreeNode root) {
        ArrayDeque waiting = new ArrayDeque();
        waiting.push(root);
        char before = '[';
        while (!waiting.isEmpty()) {
            TreeNode node = (TreeNode) waiting.pop();
            count(node);
            Object[] children = items(node.children());
            for (int at = children.length - 1; at >= 0; at--) {
                waiting.push(children[at]);
            }
            out.append(before);
            before = ',';
            node(node, children);
        }
        out.append(']');
    }

    private void count(TreeNode node) {
        nodes -= node instanceof LogicalPlan ? 1 : 0;
        parts -= 1;
        if (nodes < 0 || parts < 0) {
            throw new TooLarge();
        }
    }

    private void node(TreeNode node, Object[] children) {
        head(node, children.length);
        // The end of the head is opened again: most nodes have no trees in their fields.
        out.setLength(out.length() - 1);
        String before = ",\"trees\":{";
        boolean isPlan = node instanceof LogicalPlan;
        for (int at = 0; at < node.productArity(); at++) {
            Object value = inner(node.productElement(at));
            // Expressions hold lists of nothing but their children.
            boolean isHeld = isPlan && value instanceof Seq ? isForest((Seq) value, children) : isTree(value, children);
            if (isHeld) {
                out.append(before).append('"').append(node.productElementName(at)).append("\":");
                before = ",";
                held(value, isPlan);
            }
        }
        out.append(before == "," ? "}}" : "}");
    }

    private void held(Object value, boolean isOfPlan) {
        if (!(value instanceof Seq)) {
            tree((TreeNode) value);
            return;
        }
        Seq list = (Seq) value;
        if (isOfPlan && list.length() > widest) {
            throw new TooLarge();
        }
        String before = "[";
        for (Iterator each = list.iterator(); each.hasNext();) {
            Object item = inner(each.next());
            if (item instanceof Expression || item instanceof LogicalPlan || item instanceof Seq) {
                out.append(before);
                before = ",";
                held(item, false);
            }
        }
        out.append(before == "[" ? "[]" : "]");
    }

    private void head(TreeNode node, int children) {
        String name = node.getClass().getName();
        int end = name.endsWith("$") ? name.length() - 1 : name.length();
        out.append("{\"kind\":\"").append(name, name.lastIndexOf('.') + 1, end);
        out.append(node instanceof LogicalPlan ? "\",\"plan\":true" : "\",\"plan\":false");
        out.append(",\"children\":").append(children).append(",\"attrs\":");
        String before = "{";
        for (int at = 0; at < node.productArity(); at++) {
            String field = node.productElementName(at);
            if (sent.contains(field)) {
                before = attribute(before, field, inner(node.productElement(at)));
            }
        }
        if (node instanceof AttributeReference) {
            before = attribute(before, "exprId", ((AttributeReference) node).exprId());
        } else if (node instanceof Alias) {
            before = attribute(before, "exprId", ((Alias) node).exprId());
        } else if (node instanceof VariableReference) {
            before = attribute(before, "variable", ((VariableReference) node).identifier().name());
        }
        out.append(before == "{" ? "{}}" : "}}");
    }

    private String attribute(String before, String field, Object value) {
        int length = out.length();
        out.append(before).append('"').append(field).append("\":");
        if (value(value)) {
            return ",";
        }
        out.setLength(length);
        return before;
    }

    private boolean value(Object value) {
        if (value instanceof String) {
            text((String) value);
        } else if (value instanceof Boolean || value instanceof Long) {
            out.append(value);
        } else if (value instanceof ExprId) {
            out.append(((ExprId) value).id());
        } else if (value instanceof DataType) {
            type((DataType) value);
        } else if (value instanceof TableIdentifier) {
            identifier((TableIdentifier) value);
        } else if (value instanceof CatalogTable) {
            table((CatalogTable) value);
        } else if (value instanceof Seq && !((Seq) value).isEmpty() && ((Seq) value).head() instanceof ExprId) {
            ids((Seq) value);
        } else if (value instanceof Product && ((Product) value).productArity() == 0) {
            text(value.toString());
        } else {
            return false;
        }
        return true;
    }

    private void ids(Seq ids) {
        String before = "[";
        for (Iterator each = ids.iterator(); each.hasNext();) {
            out.append(before).append(((ExprId) each.next()).id());
            before = ",";
        }
        out.append(']');
    }

    private void type(DataType type) {
        String known = (String) types.get(type);
        if (known == null) {
            known = type.json();
            types.put(type, known);
        }
        out.append(known);
    }

    private void identifier(TableIdentifier name) {
        out.append("{\"table\":");
        text(name.table());
        out.append(",\"database\":");
        text((String) inner(name.database()));
        out.append(",\"catalog\":");
        text((String) inner(name.catalog()));
        out.append('}');
    }

    private void table(CatalogTable table) {
        out.append("{\"identifier\":");
        identifier(table.identifier());
        out.append(",\"tableType\":{\"name\":");
        text(table.tableType().name());
        out.append("},\"provider\":");
        text((String) inner(table.provider()));
        out.append(",\"schema\":").append(table.schema().json()).append('}');
    }

    private void text(String value) {
        if (value == null) {
            out.append("null");
            return;
        }
        out.append('"');
        for (int at = 0; at < value.length(); at++) {
            char one = value.charAt(at);
            if (one < ' ') {
                out.append(String.format("\\u%04x", new Object[] {Integer.valueOf(one)}));
            } else {
                out.append(one == '"' || one == '\\' ? "\\" : "").append(one);
            }
        }
        out.append('"');
    }

    private static boolean isForest(Seq list, Object[] children) {
        Object first = list.isEmpty() ? null : inner(list.head());
        return first instanceof Seq ? isForest((Seq) first, children) : isTree(first, children);
    }

    private static boolean isTree(Object value, Object[] children) {
        if (!(value instanceof Expression || value instanceof LogicalPlan)) {
            return false;
        }
        for (int at = 0; at < children.length; at++) {
            if (children[at] == value) {
                return false;
            }
        }
        return true;
    }

    private static Object inner(Object value) {
        if (value instanceof Option) {
            return ((Option) value).isEmpty() ? null : ((Option) value).get();
        }
        return value;
    }

    private static Object[] items(Seq list) {
        Object[] found = new Object[list.length()];
        int at = 0;
        for (Iterator each = list.iterator(); each.hasNext();) {
            found[at++] = each.next();
        }
        return found;
    }

    private static final class TooLarge extends RuntimeException {
        TooLarge() {
            super(null, null, false, false);
        }
    }
}
