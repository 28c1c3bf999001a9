<?php
// Reads a cartridge with Moodle's own importer, without a Moodle: what it needs of the rest is stood in for.
//
//     cartridge.php <Moodle's sources> <folder with the cartridge's files, in which it also writes>
//
// Prints how many sections, links, quizzes and questions of each form it read, and what it complained of.

error_reporting(E_ALL & ~E_DEPRECATED);
set_error_handler(function ($code, $message, $file, $line) {
    if (error_reporting() & $code) {
        throw new ErrorException("$message ($file:$line)");
    }
});

define('MOODLE_INTERNAL', true);
define('PARAM_RAW', 'raw');
define('PARAM_CLEANHTML', 'cleanhtml');

[, $sources, $folder] = $argv;
$CFG = (object) ['libdir' => "$sources/lib", 'dirroot' => $sources, 'wwwroot' => 'https://moodle.example', 'directorypermissions' => 0777];
$USER = (object) ['id' => 1];

function optional_param($name, $default, $type) { return $default; }
function clean_param($value, $type) { return $value; }
// A PHP without the extension for encodings does: our files are UTF-8.
if (!function_exists('mb_check_encoding')) {
    function mb_detect_encoding($text) { return 'UTF-8'; }
    function mb_check_encoding($text) { return true; }
}

require_once("$sources/backup/cc/validator.php");
require_once("$sources/backup/cc/includes/constants.php");
require_once("$sources/backup/cc/cc112moodle.php");

// The sheets are named from here.
chdir("$sources/backup");
$complaints = [];
$manifest = cc112moodle::get_manifest($folder);
if (!(new manifest_validator("$sources/backup/cc/schemas11"))->validate($manifest)) {
    $complaints[] = error_messages::instance()->to_string();
}
ob_start();
(new cc112moodle($manifest))->generate_moodle_xml();
ob_end_clean();
$document = new DOMDocument();
$document->load("$folder/moodle.xml");
$course = new DOMXPath($document);
$text = fn($query, $of = null) => trim($course->evaluate("string($query)", $of));

const FORMS = ['multichoice' => 'choice', 'shortanswer' => 'text', 'essay' => 'essay'];

$read = ['sections' => $course->query('//SECTIONS/SECTION')->length, 'links' => 0, 'quizzes' => 0];
foreach ($course->query('//MODULES/MOD') as $mod) {
    $type = $text('MODTYPE', $mod);
    $address = $text('REFERENCE', $mod);
    if ($type === 'resource' && str_contains($address, 'invalidurl')) {
        $complaints[] = $text('NAME', $mod) . ' has no valid address';
    }
    if ($type === 'resource' && $text('TYPE', $mod) === 'html' && trim(strip_tags($text('ALLTEXT', $mod))) === '') {
        $complaints[] = $text('NAME', $mod) . ' is empty';
    }
    $read['links'] += $type === 'resource' && str_starts_with($address, 'https://') ? 1 : 0;
    $read['quizzes'] += $type === 'quiz' ? 1 : 0;
}
$feedback = 0;
foreach ($course->query('//QUESTION_CATEGORIES//QUESTION') as $question) {
    $form = $text('QTYPE', $question);
    $read[FORMS[$form] ?? $form] = ($read[FORMS[$form] ?? $form] ?? 0) + 1;
    $name = $text('NAME', $question);
    if (trim(strip_tags(html_entity_decode($text('QUESTIONTEXT', $question)))) === '') {
        $complaints[] = "$name has no text";
    }
    $sum = 0;
    foreach ($course->query('.//ANSWER[FRACTION]', $question) as $answer) {
        $sum += (float) $text('FRACTION', $answer);
        $feedback += $text('FEEDBACK', $answer) === '' ? 0 : 1;
    }
    $texts = array_map(fn($answer) => $text('ANSWER_TEXT', $answer), iterator_to_array($course->query('.//ANSWER[FRACTION]', $question)));
    if (count(array_unique($texts)) !== count($texts)) {
        $complaints[] = "$name has an answer twice";
    }
    if ($form === 'multichoice' && abs($sum - 1) > 0.001 || $form === 'shortanswer' && $sum < 1) {
        $complaints[] = "$name: the right answers come to $sum";
    }
}
ksort($read);
echo json_encode(['read' => $read, 'answers_with_feedback' => $feedback, 'complaints' => $complaints], JSON_UNESCAPED_UNICODE);
